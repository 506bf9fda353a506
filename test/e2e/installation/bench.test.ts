import { expect, it } from 'vitest';
import { runProgram } from '../../support/processes/run-program.ts';

/** Runs the benchmark to its end, building it first where it has changed. */
const runBench = (args: readonly string[]) => runProgram(process.execPath, ['test/bench/run.mjs', ...args]);

const number = expect.any(Number);
/** A ratio to a floor of 0 is no number in JSON. */
const ratio = expect.toSatisfy((value) => value === null || typeof value === 'number');
const compared = { floor: number, millrace: number, ratio };
const figures = ['commands', 'scripts', 'packets', 'commits', 'bytes', 'allocated', 'worker', 'redis'];
const linesOf = (names: readonly string[], line: object) => Object.fromEntries(names.map((name) => [name, line]));
const longest = { turnMs: number, commandMs: number };
const ofLines = { ...compared, unit: expect.any(String) };
const sideBySide = { ...ofLines, costs: linesOf(figures, compared), longest, steady: expect.any(Array) };
const alone = { millrace: number, unit: expect.any(String) };
const scenarios = ['chain', 'throughput', 'throughput2', 'map', 'loop', 'start', 'waits', 'agent', 'agentHttp', 'far'];

it('measures everything with both settings of persistence', async () => {
  const { code, stdout } = await runBench(['--quick', '--json']);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ...linesOf(scenarios, sideBySide),
    scaling: ofLines,
    ...linesOf(['idle1', 'idle10', 'encode', 'httpStart', 'httpStart500'], ofLines),
    ...linesOf(['bytes', 'loopState', 'waitBytes', 'recall', 'render', 'workerStart'], alone),
    hugeMap: { ...alone, longest },
    always: { ...linesOf(scenarios, sideBySide), scaling: ofLines },
    machine: { cores: number, load: number },
  });
});

it('measures only the named parts, and compares them with their targets', async () => {
  const { code, stdout } = await runBench(['--quick', '--only', 'chain,bytes']);

  expect(code).toBe(0);
  expect(stdout.match(/^\w+(?= +[\d–])/gm)).toEqual(['chain', 'bytes', 'chain']);
  expect(stdout).toMatch(/(meets|misses) the target of at most 38 for commands\n/);
  expect(stdout).toMatch(/^longest turn of the event loop [\d.]+ ms/m);
});

it('prints its usage for wrong arguments', async () => {
  const { code, stderr } = await runBench(['--only', 'chains']);

  expect(code).toBe(2);
  expect(stderr).toContain('There is no scenario "chains".\nusage: npm run bench');
});
