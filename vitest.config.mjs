import { defineConfig } from 'vitest/config';
import { SlowestFiles } from './tools/slowest-files.mjs';
import { compiledModules } from './tools/compiled-modules.mjs';
import { LongestFirst } from './tools/longest-first.mjs';

/**
 * Projects are named by cost and run one after the other, cheapest first. A worker loads a module once and keeps it for all
 * files that it runs (ADR 0111): tests leave no state behind in modules, and know none of what ran before them.
 */
function project(name, order, options) {
  return {
    plugins: [compiledModules()],
    test: {
      name,
      environment: 'node',
      // Titles are shown whole.
      chaiConfig: { truncateThreshold: 240 },
      pool: 'forks',
      isolate: false,
      // Node loads compiled modules itself, untransformed.
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

/** MongoDB and NATS, started once a run. */
const servers = 'tools/dev/dist/test-servers.js';
/** The product, started once for all files of its project. */
const product = 'tools/dev/dist/test-product.js';
const sources = '{packages/*,services/*,tools/*,simulators,console}/src/**';
const isolated = '**/*.isolated{,.int}.test.ts';
/** Each of these test files starts a product in processes of its own, and kills them. */
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
      }),
      // Each of these files has a process of its own, because it tests things that a process does once, such as the start of telemetry.
      project('isolated', 1, { include: [isolated], globalSetup: [servers], isolate: true }),
      project('integration', 2, {
        include: [`${sources}/*.int.test.ts`, 'tests/bench/*.int.test.ts'],
        exclude: [...notOurs, isolated],
        globalSetup: [servers],
        maxWorkers: 4,
      }),
      project('contract', 3, { include: ['tests/contract/**/*.test.ts'], globalSetup: [servers] }),
      project('e2e', 4, {
        include: ['tests/e2e/**/*.test.ts'],
        exclude: [...notOurs, crashes],
        globalSetup: [servers, product],
      }),
      project('crash', 5, { include: [crashes] }),
      project('attack', 6, { include: ['tests/attack/**/*.test.ts'], globalSetup: [servers] }),
      // Minutes of elections and outages in real time: `npm run test:failover`.
      ...(process.env.FAILOVER
        ? [project('failover', 7, { include: ['tests/failover/**/*.test.ts'], globalSetup: [servers] })]
        : []),
    ],
  },
});
