import { fileURLToPath } from 'node:url';
import type { TestProjectConfiguration } from 'vitest/config';
import { defineConfig } from 'vitest/config';
import { childrenFromSources } from './test/support/processes/children-from-sources.ts';

/** Reads the packages' sources: only tests that start built programs need a build. */
const conditions = ['source', 'node', 'development|production'];

const redis = 'test/support/redis/ensure-redis.ts';
const sandbox = 'test/support/processes/ensure-sandbox.ts';
const browser = ['test/support/browser/ensure-browser.ts', 'test/support/browser/ensure-dashboard.mjs'];

interface Kind {
  readonly files: readonly string[];
  /** Global set-ups that install, build or find what the tests need. */
  readonly needs: readonly string[];
  readonly timeoutSeconds?: number;
  /** Runs after all kinds with a lower number; 0 if omitted. */
  readonly order?: number;
  readonly exhaustive?: boolean;
  /** Files at a time; default: as many as of most kinds. */
  readonly workers?: number;
}

/** Kinds of tests, each a project of Vitest. `scripts/lanes.json` says which command runs them. */
const kinds: Readonly<Record<string, Kind>> = {
  unit: { files: ['packages/*/src/**', 'test/{docs,generated,lint,support}/**'], needs: [], timeoutSeconds: 30 },
  // One project for three folders: a process that has imported the sources runs the files of the next folder, too.
  integration: { files: ['test/{contract,conformance,integration}/**'], needs: [redis, sandbox] },
  e2e: { files: ['test/e2e/{access,cli,http,resources,server}/**', 'test/faults/**'], needs: [redis, sandbox] },
  sessions: { files: ['test/e2e/sessions/**'], needs: [redis, sandbox] },
  chaos: { files: ['test/chaos/**', 'test/e2e/outages/**'], needs: [redis, sandbox] },
  stress: { files: ['test/stress/**'], needs: [redis, sandbox] },
  services: { files: ['test/e2e/{services,storage}/**'], needs: [redis, sandbox] },
  // A page, its browser and its server keep two cores busy: more of them at a time are late for their limits.
  browser: { files: ['test/e2e/browser/**'], needs: [redis, ...browser], workers: 2, order: 1 },
  packaging: { files: ['test/e2e/installation/**', 'test/deploy/**'], needs: [redis, sandbox, ...browser] },
  containers: { files: ['test/containers/**'], needs: [], workers: 1, order: 2 },
  nightly: {
    files: [
      'test/nightly/**',
      // Their own kind tries one appearance of the screens, or a part of the cases.
      'test/e2e/browser/dashboard-{accessibility,states}',
      'test/e2e/browser/workflows/dashboard-publishing',
      'test/conformance/engine-equals-reference',
      'test/stress/agents/budget-simulation',
      'test/stress/agents/lost-calls',
      'test/stress/nodes/large-fan-outs',
      'test/stress/redis/simulation',
      'test/stress/terminations/termination-contention',
    ],
    needs: [redis, sandbox, ...browser],
    timeoutSeconds: 600,
    workers: 1,
    order: 3,
    exhaustive: true,
  },
  compose: { files: ['test/compose/**'], needs: [], timeoutSeconds: 900, workers: 1, order: 4 },
};

const projects = Object.entries(kinds).map(
  ([
    name,
    { files, needs, timeoutSeconds = 180, workers, order = 0, exhaustive = false },
  ]): TestProjectConfiguration => ({
    extends: true,
    test: {
      name,
      include: files.map((pattern) => (pattern.endsWith('**') ? `${pattern}/*.test.ts` : `${pattern}.test.ts`)),
      globalSetup: [...needs],
      testTimeout: timeoutSeconds * 1000,
      hookTimeout: Math.max(timeoutSeconds, 120) * 1000,
      provide: { appearances: exhaustive ? ['light', 'dark'] : ['light'], exhaustive },
      sequence: { groupOrder: order },
      ...(workers !== undefined && { maxWorkers: workers }),
    },
  }),
);

export default defineConfig({
  plugins: [childrenFromSources()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // A condition that is waited for is not a claim about time: a busy machine may need long for it.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Two for each of two cores: most tests of real processes wait more than they compute.
    maxWorkers: 4,
    // Files share a process: importing the sources again for each of them costs more than most of their tests.
    isolate: false,
    // Projects transform a source once for all of them, and only when it has changed.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest/modules' },
    // Processes that are given no directory leave the data of the user alone.
    env: { XDG_DATA_HOME: fileURLToPath(new URL('node_modules/.cache/test-data', import.meta.url)) },
    // A package that its client needs has sources of its own behind the condition `source`, which node cannot read.
    server: { deps: { inline: [/@modelcontextprotocol\/client/, /eventsource/] } },
    projects,
  },
});
