import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/support/long-files-first.ts';

/** Reads the packages' sources, so that no test waits for a build. */
const conditions = ['source', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Two for each of two cores: most tests of real processes wait more than they compute.
    maxWorkers: 4,
    // Files share a process: importing the sources again for each of them costs more than most of their tests.
    isolate: false,
    // Projects transform a source once for all of them, and only when it has changed.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest/modules' },
    sequence: { sequencer: LongFilesFirst },
    testTimeout: 10_000,
    provide: { appearances: ['light'], exhaustive: false },
    // Processes that are given no directory leave the data of the user alone.
    env: { XDG_DATA_HOME: fileURLToPath(new URL('node_modules/.cache/test-data', import.meta.url)) },
    // A package that its client needs has sources of its own behind the condition `source`, which node cannot read.
    server: { deps: { inline: [/@modelcontextprotocol\/client/, /eventsource/] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'test/{deploy,docs,generated,lint}/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          // One project for four folders: a process that has imported the sources runs the files of the next folder, too.
          name: 'services',
          globalSetup: ['test/support/redis/ensure-redis.ts', 'test/support/processes/ensure-sandbox.ts'],
          include: ['test/{contract,conformance,integration,chaos}/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          globalSetup: [
            'test/support/redis/ensure-redis.ts',
            'test/support/processes/ensure-sandbox.ts',
            'test/support/browser/ensure-browser.ts',
            'test/support/browser/ensure-dashboard.mjs',
          ],
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: ['test/containers/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'compose',
          include: ['test/compose/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 900_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'nightly',
          globalSetup: [
            'test/support/redis/ensure-redis.ts',
            'test/support/processes/ensure-sandbox.ts',
            'test/support/browser/ensure-browser.ts',
            'test/support/browser/ensure-dashboard.mjs',
          ],
          // Beside the long tests, those that try one appearance of the screens or a part of the cases in `npm test`, here all.
          include: [
            'test/nightly/**/*.test.ts',
            'test/e2e/browser/dashboard-{accessibility,states}.test.ts',
            'test/e2e/browser/workflows/dashboard-publishing.test.ts',
            'test/conformance/engine-equals-reference.test.ts',
            'test/integration/agents/budget-simulation.test.ts',
            'test/integration/nodes/large-fan-outs.test.ts',
            'test/integration/redis/simulation.test.ts',
            'test/integration/terminations/termination-contention.test.ts',
          ],
          provide: { appearances: ['light', 'dark'], exhaustive: true },
          testTimeout: 600_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
