import { expect, it } from 'vitest';
import { runProgram } from '../support/processes/run-program.ts';

const number = expect.any(Number);
const percentiles = { p50: number, p95: number, p99: number };

it.each([
  ['agents', 3],
  // Its runs share the worker by turns, so that all of them end late on a busy machine.
  ['instant', 12],
  ['waits', 3],
])('measures the profile %s with real processes', async (profile, seconds) => {
  const { code, stdout } = await runProgram(process.execPath, [
    'test/load/run.mjs',
    '--seconds',
    String(seconds),
    '--profile',
    profile,
    '--json',
  ]);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      ...{ profile, workers: 1, concurrency: 20, seconds: number, runs: number, activations: number, linear: 1 },
      ...{
        cpu: { worker: number, redis: number, api: number },
        redisCore: number,
        commands: number,
        idleCores: number,
      },
      latency: {
        start: percentiles,
        run: percentiles,
        ...(profile === 'waits' ? { answer: percentiles } : {}),
      },
    },
  ]);
});

it('prints its usage for wrong arguments', async () => {
  const { code, stderr } = await runProgram(process.execPath, ['test/load/run.mjs', '--workers', '0']);

  expect(code).toBe(2);
  expect(stderr).toContain('--workers takes whole numbers from 1 on, not "0".\nusage: npm run load');
});
