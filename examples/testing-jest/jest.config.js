// pix-automatic-sdk needs none of this, but msw does: some of its dependencies are only ES modules. Jest cannot require
// those before Node 24.9, so Babel converts them to CommonJS.
const esModules = [
  '@open-draft/deferred-promise',
  'headers-polyfill',
  'rettime',
  'tough-cookie',
  'until-async',
];

module.exports = {
  transform: { '\\.m?js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
};
