import { expect, it } from 'vitest';
import { alertsOf } from './alerts.ts';

const now = Date.UTC(2026, 10, 22);
const queue = { name: 'default', paused: false, waiting: 0, active: 0, delayed: 0, workers: 1 };
const calm = {
  now,
  version: '1.0.0',
  queues: [queue],
  redis: { usedBytes: 1, limitBytes: 0, findings: [{ level: 'good', subject: 'Redis', message: 'fine' } as const] },
  agenda: { entries: 3, lagMs: 2000 },
  workerVersions: { '1.0.0': 2 },
  refusedJobs: 0,
};
const wordsOf = (state: Parameters<typeof alertsOf>[0]) =>
  alertsOf(state).map(({ level, subject, message }) => `${level} ${subject}: ${message}`);

it('raises no alert while nothing needs attention', () => {
  expect(alertsOf(calm)).toEqual([]);
});

it('describes stopped, late and differing parts in words, the worst first', () => {
  const gpu = { ...queue, name: 'gpu', waiting: 2, workers: 0 };
  const old = { ...queue, name: 'old', waiting: 1, oldestAt: now - 7 * 60_000 };
  const weak = { level: 'weak', subject: 'persistence', message: 'no append-only file' } as const;

  expect(
    wordsOf({
      ...calm,
      queues: [gpu, old],
      redis: { ...calm.redis, findings: [weak] },
      agenda: { entries: 3, lagMs: 61_000 },
      workerVersions: { '1.0.0': 1, '0.9.0': 1, unknown: 1 },
      refusedJobs: 1,
    }),
  ).toEqual([
    'bad queue gpu: No worker takes what waits in it: 2 jobs wait.',
    'bad agenda: An activation or an alarm is overdue by 61 seconds: no process looks after the agenda.',
    'weak persistence: no append-only file',
    'weak queue old: Its oldest job has waited for 7 minutes.',
    'weak versions: The server has version 1.0.0, and some workers have 0.9.0.',
    'weak intake: 1 job was refused.',
  ]);
});
