import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackages } from './prepare.mjs';
import { root, runNode } from './process.mjs';

const projects = ['unit', 'conformance', 'integration', 'e2e', 'chaos'];
/** Run when they are asked for: what needs a container engine, and fails without one, and what takes very long. */
const onDemand = ['containers', 'compose', 'nightly'];
const all = [...projects, ...onDemand];
const report = join(root, 'node_modules/.cache/vitest/report.json');

const checks = [
  { name: 'lint', title: 'Style and dead code', run: lint },
  { name: 'types', title: 'Build and types', run: types },
];

const usage = `usage: npm test [-- --only ${[...checks.map((check) => check.name), ...all].join(',')}]`;

/** Everything that is tested, one stage after the other until one fails; returns the exit code. */
export async function test(args) {
  const only = wanted(args);
  if (only === undefined) {
    console.error(usage);
    return 2;
  }
  const stages = stagesOf(only);
  const results = [];
  for (const stage of stages) {
    heading(stage.title);
    const startedAt = Date.now();
    const code = await stage.run();
    results.push({ title: stage.title, code, seconds: (Date.now() - startedAt) / 1000 });
    if (code !== 0) break;
  }
  return summarise(stages, results);
}

function wanted(args) {
  if (args.length === 0) return [];
  const names = args[1]?.split(',') ?? [];
  const known = [...checks.map((check) => check.name), ...all];
  return args.length === 2 && args[0] === '--only' && names.every((name) => known.includes(name)) ? names : undefined;
}

function stagesOf(only) {
  const chosen = only.length === 0 ? projects : all.filter((name) => only.includes(name));
  const stages = checks.filter((check) => only.length === 0 || only.includes(check.name));
  // Tests of whole processes start the built command.
  if (only.length > 0 && chosen.some((name) => ['integration', 'e2e', 'chaos', 'nightly'].includes(name))) {
    stages.push({ name: 'build', title: 'Build', run: buildPackages });
  }
  if (chosen.length > 0)
    stages.push({ name: 'vitest', title: `Tests: ${chosen.join(', ')}`, run: () => vitest(chosen) });
  return stages;
}

async function lint() {
  return (
    (await runNode('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])) ||
    (await runNode('node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ['packages', 'test'])) ||
    (await runNode('node_modules/knip/bin/knip.js', ['--no-progress'])) ||
    (await runNode('scripts/lint/retired-names.mjs', []))
  );
}

/** Builds the packages and checks the types of the tests. */
function types() {
  return runNode('node_modules/typescript/bin/tsc', ['-b']);
}

function vitest(chosen) {
  rmSync(report, { force: true });
  mkdirSync(join(report, '..'), { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return runNode('node_modules/vitest/vitest.mjs', ['run', ...chosen.map((name) => `--project=${name}`), ...reporters]);
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
