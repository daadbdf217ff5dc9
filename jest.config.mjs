// Five projects named by cost. Unit tests need nothing; the others share one MongoDB and one NATS, started once per run.
const shared = {
  testEnvironment: '<rootDir>/tools/jest-environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  // Not below /tmp: compiled files and the durations of the last run, which say what to begin with, survive a restart.
  cacheDirectory: '<rootDir>/.cache/jest',
  modulePathIgnorePatterns: ['/dist/', '/.data/', '/.cache/'],
};
const needsInfrastructure = {
  globalSetup: '<rootDir>/tools/dev/dist/jest-global-setup.js',
  globalTeardown: '<rootDir>/tools/dev/dist/jest-global-teardown.js',
};
const unit = {
  ...shared,
  displayName: 'unit',
  testRegex: [
    '((packages|services|tools)/.*|simulators)/src/.*(?<!\\.int)\\.test\\.ts$',
    'tests/(architecture|bench|chaos|detection)/.*\\.test\\.ts$',
  ],
};
const integration = {
  ...shared,
  ...needsInfrastructure,
  displayName: 'integration',
  testRegex: '((packages|services|tools)/.*|simulators)/src/.*\\.int\\.test\\.ts$',
};
const contract = {
  ...shared,
  ...needsInfrastructure,
  displayName: 'contract',
  testRegex: 'tests/contract/.*\\.test\\.ts$',
};
const endToEnd = {
  ...shared,
  ...needsInfrastructure,
  // The product as well, once for all files.
  globalSetup: '<rootDir>/tools/dev/dist/jest-product-setup.js',
  displayName: 'e2e',
  testRegex: 'tests/e2e/.*\\.test\\.ts$',
};

const attack = {
  ...shared,
  ...needsInfrastructure,
  displayName: 'attack',
  testRegex: 'tests/attack/.*\\.test\\.ts$',
};

/** Minutes of elections and outages in real time: `npm run test:failover`. */
const failover = {
  ...shared,
  ...needsInfrastructure,
  displayName: 'failover',
  testRegex: 'tests/failover/.*\\.test\\.ts$',
};

export default {
  projects: [unit, integration, contract, endToEnd, attack, ...(process.env.FAILOVER ? [failover] : [])],
  testSequencer: '<rootDir>/tools/jest-sequencer.mjs',
  testTimeout: 180_000,
  maxWorkers: 2,
  // Modules of the files before are never freed: at 3 GB everything took twice as long, and tests met their deadlines.
  workerIdleMemoryLimit: '1GB',
};
