import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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
    ...(late.length > 0 && !wanted.includes('types') ? [{ title: 'Build', run: () => buildPackages() }] : []),
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

/** If more files than these failed, something is broken, and none is run again. */
const maxFilesAgain = 3;

/**
 * Runs kinds of tests, then once more, alone, the few files that failed: many tests drive real processes by the clock,
 * and a machine that is busy with something else may be late for one. The summary names what passed only then.
 */
async function vitest(kinds) {
  const name = kinds.join('-');
  rmSync(report(`${name}-again`), { force: true });
  const projects = kinds.map((kind) => `--project=${kind}`);
  const code = await runVitest(name, projects);
  const files = code === 0 ? [] : failuresIn(name).map(({ file }) => file);
  if (files.length === 0 || files.length > maxFilesAgain) return code;
  heading(`Again, alone: ${files.map((file) => relative(root, file)).join(', ')}`);
  return runVitest(`${name}-again`, [...projects, '--no-file-parallelism', ...files]);
}

function runVitest(name, args) {
  const file = report(name);
  rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  return runNode('node_modules/vitest/vitest.mjs', ['run', ...args, ...reporters]);
}

/** Tests whose process has ended before them are `pending`. */
const isFailure = ({ status }) => status === 'failed' || status === 'pending';

/** Files that failed or did not end, each with a line for each such test. */
const failuresIn = (name) =>
  (reportOf(name)?.testResults ?? [])
    .filter(
      ({ status, assertionResults }) =>
        status === 'failed' || assertionResults.length === 0 || assertionResults.some(isFailure),
    )
    .map(({ name: file, assertionResults }) => ({
      file,
      tests: assertionResults.filter(isFailure).map(({ fullName }) => `  ${relative(root, file)}: ${fullName}`),
    }));

function heading(title) {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}\n`);
}

function summarise(results) {
  heading('Summary');
  for (const { title, code, seconds } of results) {
    console.log(`${code === 0 ? 'passed' : 'failed'}   ${title} (${seconds.toFixed(1)} s)`);
  }
  const failed = results.some(({ code }) => code !== 0);
  const counts = results.flatMap((result) => (result.report === undefined ? [] : [counted(result)]));
  const late = counts.flatMap((count) => count.late);
  if (late.length > 0) console.log(`\nPassed only when they were run again, alone:\n${late.join('\n')}`);
  const passed = counts.reduce((sum, one) => sum + one.passed, 0);
  const failures = counts.reduce((sum, one) => sum + one.failed, 0);
  // A stage that fails without a failed test counts as one failure: the line never looks green when the run is red.
  console.log(`\n${passed} passed, ${failed ? Math.max(1, failures) : failures} failed`);
  return failed ? 1 : 0;
}

/** Vitest that ended before it could write its report has failed the run by its exit code. */
function counted({ report: name, code }) {
  const { numPassedTests: passed = 0 } = reportOf(name) ?? {};
  const failures = failuresIn(name).flatMap(({ tests }) => tests);
  const late = code === 0 ? failures : [];
  return { passed: passed + late.length, failed: failures.length - late.length, late };
}

function reportOf(name) {
  try {
    return JSON.parse(readFileSync(report(name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
