const { resolve } = require('node:path');

// The shop and the package are above this folder.
module.exports = { turbopack: { root: resolve(__dirname, '../..') } };
