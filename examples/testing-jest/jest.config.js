// pix-automatic-sdk needs nothing of this. msw does: some of its dependencies are ES modules only, which Jest cannot
// require before Node 24.9, so Babel makes CommonJS of them.
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
