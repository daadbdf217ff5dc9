import { defineConfig } from 'vitest/config';
import { SlowestFiles } from './tools/slowest-files.mjs';
import { compiledModules } from './tools/compiled-modules.mjs';
import { LongestFirst } from './tools/longest-first.mjs';

/**
 * Test projects are named by their cost and run one after the other, the fastest first. A worker loads a module once
 * and keeps it for all test files that it runs (ADR 0111), so tests leave no state behind in modules and do not depend
 * on earlier tests.
 */
function project(name, order, options) {
  return {
    plugins: [compiledModules()],
    test: {
      name,
      environment: 'node',
      // Test titles that contain values are shown whole, up to this number of characters.
      chaiConfig: { truncateThreshold: 240 },
      pool: 'forks',
      isolate: false,
      // Node.js loads compiled modules itself, without a transformation.
      server: { deps: { external: [/\/dist\//] } },
      exclude: notOurs,
      testTimeout: 180_000,
      hookTimeout: 180_000,
      maxWorkers: 3,
      setupFiles: ['tools/end-with-parent.mjs'],
      sequence: { groupOrder: order },
      ...options,
    },
  };
}

/** MongoDB and NATS are started once for each test run. */
const servers = 'tools/dev/dist/test-servers.js';
/** Identities of services are made once for each test run. */
const identities = 'tools/dev/dist/test-identities.js';
/** The product is started once for all test files of its project. */
const product = 'tools/dev/dist/test-product.js';
const sources = '{packages/*,services/*,tools/*,simulators,console}/src/**';
const isolated = '**/*.isolated{,.int}.test.ts';
/** Pattern of the crash tests. Each of these test files starts a product in separate processes, and kills them. */
const crashes = 'tests/e2e/crash-*.e2e.test.ts';
const notOurs = ['**/node_modules/**', '**/dist/**', '**/.cache/**'];

export default defineConfig({
  test: {
    reporters: ['default', new SlowestFiles()],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', 1, {
        include: [`${sources}/*.test.ts`, 'tests/{architecture,bench,chaos,detection}/**/*.test.ts'],
        exclude: [...notOurs, '**/*.int.test.ts', isolated],
        globalSetup: [identities],
      }),
      // Each test file of this project has a separate process, because it tests things that a process does once, such
      // as the start of telemetry.
      project('isolated', 1, { include: [isolated], globalSetup: [identities, servers], isolate: true }),
      project('integration', 2, {
        include: [`${sources}/*.int.test.ts`, 'tests/bench/*.int.test.ts'],
        exclude: [...notOurs, isolated],
        globalSetup: [identities, servers],
        maxWorkers: 4,
      }),
      project('contract', 3, { include: ['tests/contract/**/*.test.ts'], globalSetup: [identities, servers] }),
      project('e2e', 4, {
        include: ['tests/e2e/**/*.test.ts'],
        exclude: [...notOurs, crashes],
        globalSetup: [identities, servers, product],
      }),
      project('crash', 5, { include: [crashes], globalSetup: [identities] }),
      project('attack', 6, { include: ['tests/attack/**/*.test.ts'], globalSetup: [identities, servers] }),
      // The failover tests take minutes, because elections and outages happen in real time: `npm run test:failover`.
      ...(process.env.FAILOVER
        ? [project('failover', 7, { include: ['tests/failover/**/*.test.ts'], globalSetup: [identities, servers] })]
        : []),
    ],
  },
});
