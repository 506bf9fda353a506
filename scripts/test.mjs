import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildFlags, buildPackages, bundle } from './prepare.mjs';
import { root, runNode, runQuietly } from './process.mjs';

/** Kinds of tests: the project of Vitest, and the folders with its files. */
const kinds = {
  unit: { project: 'unit', folders: ['packages/', 'test/deploy/', 'test/docs/', 'test/generated/', 'test/lint/'] },
  contract: { project: 'services', folders: ['test/contract/'] },
  conformance: { project: 'services', folders: ['test/conformance/'] },
  integration: { project: 'services', folders: ['test/integration/'] },
  e2e: { project: 'e2e', folders: ['test/e2e/'] },
  chaos: { project: 'services', folders: ['test/chaos/'] },
  containers: { project: 'containers', folders: ['test/containers/'] },
  compose: { project: 'compose', folders: ['test/compose/'] },
  nightly: { project: 'nightly', folders: ['test/'] },
};
const all = Object.keys(kinds);
/** Run when they are asked for: what needs a container engine, and fails without one, and what takes very long. */
const onDemand = ['containers', 'compose', 'nightly'];
const usual = all.filter((name) => !onDemand.includes(name));
const needsBuild = ['integration', 'e2e', 'chaos', 'nightly'];
const report = join(root, 'node_modules/.cache/vitest/report.json');

const checks = [
  { name: 'lint', title: 'Style and dead code', run: lint },
  { name: 'types', title: 'Build and types', run: types },
];

const usage = `usage: npm test [-- --only ${[...checks.map((check) => check.name), ...all].join(',')}]`;

/** Runs everything that is tested: first the checks, side by side, then the tests; returns the exit code. */
export async function test(args) {
  const only = wanted(args);
  if (only === undefined) {
    console.error(usage);
    return 2;
  }
  const groups = groupsOf(only);
  const results = [];
  for (const stages of groups) {
    heading(stages.map((stage) => stage.title).join(', '));
    results.push(...(await Promise.all(stages.map(timed))));
    if (results.some(({ code }) => code !== 0)) break;
  }
  return summarise(groups.flat(), results);
}

async function timed(stage) {
  const startedAt = Date.now();
  const code = await stage.run();
  return { code, seconds: (Date.now() - startedAt) / 1000 };
}

function wanted(args) {
  if (args.length === 0) return [];
  const names = args[1]?.split(',') ?? [];
  const known = [...checks.map((check) => check.name), ...all];
  return args.length === 2 && args[0] === '--only' && names.every((name) => known.includes(name)) ? names : undefined;
}

/** The stages that were asked for, in groups that run one after the other; the stages of a group run side by side. */
function groupsOf(only) {
  const chosen = only.length === 0 ? usual : all.filter((name) => only.includes(name));
  const first = checks.filter((check) => only.length === 0 || only.includes(check.name));
  // Tests of whole processes start the built command.
  if (!first.some(({ name }) => name === 'types') && chosen.some((name) => needsBuild.includes(name))) {
    first.push({ name: 'build', title: 'Build', run: buildPackages });
  }
  const tests = { name: 'vitest', title: `Tests: ${chosen.join(', ')}`, run: () => vitest(chosen) };
  return [first, chosen.length > 0 ? [tests] : []].filter((stages) => stages.length > 0);
}

async function lint() {
  const codes = await Promise.all([
    runQuietly('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
    runQuietly('node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ['packages', 'test']),
    runQuietly('node_modules/knip/bin/knip.js', ['--no-progress']),
    runQuietly('scripts/lint/retired-names.mjs'),
  ]);
  return codes.find((code) => code !== 0) ?? 0;
}

/** Builds the packages and checks the types of the tests. */
async function types() {
  const code = await runQuietly('scripts/tsc.mjs', buildFlags);
  return code === 0 ? bundle() : code;
}

function vitest(chosen) {
  rmSync(report, { force: true });
  mkdirSync(join(report, '..'), { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const projects = new Set(chosen.map((name) => kinds[name].project));
  const folders = chosen.flatMap((name) => kinds[name].folders);
  const selection = [...[...projects].map((name) => `--project=${name}`), ...folders];
  return runNode('node_modules/vitest/vitest.mjs', ['run', ...selection, ...reporters]);
}

function heading(title) {
  console.log(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}\n`);
}

function summarise(stages, results) {
  heading('Summary');
  for (const [index, stage] of stages.entries()) {
    const result = results[index];
    const outcome = result === undefined ? 'not run' : result.code === 0 ? 'passed' : 'failed';
    console.log(
      `${outcome.padEnd(8)} ${stage.title}${result === undefined ? '' : ` (${result.seconds.toFixed(1)} s)`}`,
    );
  }
  const failed = results.some((result) => result.code !== 0);
  const tests = counted(results.length === stages.length && stages.at(-1)?.name === 'vitest');
  // A stage that fails without a failed test counts as one failure: the line never looks green when the run is red.
  console.log(`\n${tests.passed} passed, ${failed ? Math.max(1, tests.failed) : tests.failed} failed`);
  return failed ? 1 : 0;
}

function counted(ran) {
  try {
    if (!ran) return { passed: 0, failed: 0 };
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch (error) {
    // Vitest ended before it could write its report; its exit code has failed the run already.
    if (error.code === 'ENOENT') return { passed: 0, failed: 0 };
    throw error;
  }
}
