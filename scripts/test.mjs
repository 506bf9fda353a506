import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildFlags, buildPackages, bundle } from './prepare.mjs';
import { root, runNode, runQuietly } from './process.mjs';

/** Kinds of tests by the command that runs them; those on demand need a container engine, or a night. A kind is a project of vitest.config.ts. */
const lanes = JSON.parse(readFileSync(join(root, 'scripts/lanes.json'), 'utf8'));
/** Run beside the build; some files of the other kinds start built programs. */
const needNoBuild = ['unit'];
const checks = { lint, types };
const known = [...Object.keys(checks), ...Object.values(lanes).flat()];
const report = (stage) => join(root, `node_modules/.cache/vitest/${stage}.json`);

const usage = `usage: npm test [-- --only ${known.join(',')}]`;

/** Runs the checks and tests of `npm test` or of `npm run test:slow`, or those that are asked for; returns the exit code. */
export async function test(args) {
  const wanted = wantedBy(args);
  if (wanted === undefined) {
    console.error(usage);
    return 2;
  }
  if (wanted.some((name) => name === 'integration' || name === 'e2e')) {
    const code = await runQuietly('test/support/redis/ensure-redis.mjs');
    if (code !== 0) return code;
  }
  const results = [];
  for (const stages of stagesOf(wanted)) {
    heading(stages.map((stage) => stage.title).join(', '));
    results.push(...(await Promise.all(stages.map(timed))));
    if (results.some(({ code }) => code !== 0)) break;
  }
  return summarise(results);
}

function wantedBy(args) {
  if (args.length === 0) return [...Object.keys(checks), ...lanes.test];
  if (args.length === 1 && args[0] === '--slow') return lanes['test:slow'];
  const names = args[1]?.split(',') ?? [];
  return args.length === 2 && args[0] === '--only' && names.every((name) => known.includes(name)) ? names : undefined;
}

/** Stages in groups, one group after the other: checks and the tests that need no build, then the other tests. */
function stagesOf(wanted) {
  const kinds = wanted.filter((name) => !Object.hasOwn(checks, name));
  const early = kinds.filter((name) => needNoBuild.includes(name));
  const late = kinds.filter((name) => !needNoBuild.includes(name));
  const first = [
    ...(wanted.includes('lint') ? [{ title: 'Style and dead code', run: lint }] : []),
    ...(wanted.includes('types') ? [{ title: 'Build and types', run: types }] : []),
    ...(late.length > 0 && !wanted.includes('types') ? [{ title: 'Build', run: buildPackages }] : []),
    ...testsOf(early),
  ];
  return [first, testsOf(late)].filter((stages) => stages.length > 0);
}

const testsOf = (kinds) =>
  kinds.length === 0
    ? []
    : [{ title: `Tests: ${kinds.join(', ')}`, run: () => vitest(kinds), report: kinds.join('-') }];

async function timed(stage) {
  const startedAt = Date.now();
  const code = await stage.run();
  return { ...stage, code, seconds: (Date.now() - startedAt) / 1000 };
}

async function lint() {
  const codes = await Promise.all([
    runQuietly('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
    runQuietly('node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ['packages', 'test']),
    runQuietly('node_modules/knip/bin/knip.js', ['--no-progress']),
    runQuietly('scripts/lint/words.mjs'),
  ]);
  return codes.find((code) => code !== 0) ?? 0;
}

/** Builds the packages and checks the types of the tests. */
async function types() {
  const code = await runQuietly('scripts/tsc.mjs', buildFlags);
  return code === 0 ? bundle() : code;
}

function vitest(kinds) {
  const file = report(kinds.join('-'));
  rmSync(file, { force: true });
  mkdirSync(join(file, '..'), { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  return runNode('node_modules/vitest/vitest.mjs', ['run', ...kinds.map((name) => `--project=${name}`), ...reporters]);
}

function heading(title) {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}\n`);
}

function summarise(results) {
  heading('Summary');
  for (const { title, code, seconds } of results) {
    console.log(`${code === 0 ? 'passed' : 'failed'}   ${title} (${seconds.toFixed(1)} s)`);
  }
  const failed = results.some(({ code }) => code !== 0);
  const counts = results.flatMap((result) => (result.report === undefined ? [] : [counted(result.report)]));
  const passed = counts.reduce((sum, one) => sum + one.passed, 0);
  const failures = counts.reduce((sum, one) => sum + one.failed, 0);
  // A stage that fails without a failed test counts as one failure: the line never looks green when the run is red.
  console.log(`\n${passed} passed, ${failed ? Math.max(1, failures) : failures} failed`);
  return failed ? 1 : 0;
}

function counted(stage) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report(stage), 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch (error) {
    // Vitest ended before it could write its report; its exit code has failed the run already.
    if (error.code === 'ENOENT') return { passed: 0, failed: 0 };
    throw error;
  }
}
