import type { RunEvent } from '@millrace/client';
import { expect, it, vi } from 'vitest';
import { crashDuringCall } from './worker-crash.ts';

type Event = RunEvent['event'];

/** Watches these events, of which each is a step, or the start of an activation that takes a while. */
function watched(events: readonly (readonly [type: Event['type'], activation: string])[]) {
  const kill = vi.fn(async () => undefined);
  const crash = crashDuringCall({ worker: { pid: 1, ready: Promise.resolve(), kill }, onKilled: () => undefined });
  for (const [type, activation] of events) {
    const event = { type, activation, step: 0, name: 'chat m', attempt: 1, worker: 'w' };
    crash.watch({ event } as unknown as RunEvent); // the fields that are read
  }
  return { kill, crash: crash.crash() };
}

const callOf = (activation: string) =>
  [
    ['step.started', activation],
    ['step.completed', activation],
  ] as const;
const untilKilled = [
  ...['a1', 'a2', 'a3'].flatMap(callOf),
  ['step.started', 'a4'],
  ['activation.started', 'a4'],
] as const;

it('kills the worker once, during its fourth call', () => {
  const { kill, crash } = watched([...untilKilled, ['step.lost', 'a4'], ['activation.started', 'a4']]);

  expect(kill).toHaveBeenCalledOnce();
  expect(crash).toMatchObject({ activation: 'a4', before: { completed: 3 } });
});

it('names the call that was lost when the worker has begun another one before it was killed', () => {
  const { crash } = watched([...untilKilled, ['step.completed', 'a4'], ['step.started', 'a5'], ['step.lost', 'a5']]);

  expect(crash).toMatchObject({ activation: 'a5', before: { completed: 4 } });
});

it('names no activation when the worker was killed between two calls', () => {
  const { crash } = watched([...untilKilled, ['step.completed', 'a4'], ...callOf('a5')]);

  expect(crash).toEqual({ before: expect.objectContaining({ completed: 3 }) });
});
