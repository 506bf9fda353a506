import { expect, it } from 'vitest';
import { runProgram } from '../../support/processes/run-program.ts';

/** Runs the benchmark to its end, building it first where it has changed. */
const runBench = (args: readonly string[]) => runProgram(process.execPath, ['test/bench/run.mjs', ...args]);

const number = expect.any(Number);
const compared = { floor: number, millrace: number, ratio: number };
const costs = { worker: compared, redis: compared, allocated: compared };
const sideBySide = { ...compared, unit: expect.any(String), costs };
const ofLines = { ...compared, unit: expect.any(String) };
const alone = { millrace: number, unit: expect.any(String) };
const scenarios = ['chain', 'throughput', 'throughput2', 'map', 'loop', 'start', 'waits', 'agent'];
const linesOf = (names: readonly string[], line: object) => Object.fromEntries(names.map((name) => [name, line]));

it('measures everything with both settings of persistence', async () => {
  const { code, stdout } = await runBench(['--quick', '--json']);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ...linesOf(scenarios, sideBySide),
    scaling: ofLines,
    ...linesOf(['idle1', 'idle10', 'encode'], ofLines),
    ...linesOf(['bytes', 'loopState', 'waitBytes', 'recall', 'render'], alone),
    always: { ...linesOf(scenarios, sideBySide), scaling: ofLines },
    machine: { cores: number, load: number, coreFree: expect.any(Boolean) },
  });
});

it('measures only the named parts, and compares them with their targets', async () => {
  const { code, stdout } = await runBench(['--quick', '--only', 'chain,bytes']);

  expect(code).toBe(0);
  expect(stdout.match(/^\w+(?= +[\d–])/gm)).toEqual(['chain', 'bytes', 'chain']);
  expect(stdout).toMatch(/(meets|misses) the target of at most 1\.4\n/);
});

it('prints its usage for wrong arguments', async () => {
  const { code, stderr } = await runBench(['--only', 'chains']);

  expect(code).toBe(2);
  expect(stderr).toContain('There is no scenario "chains".\nusage: npm run bench');
});
