import type { JournalEvent, RunEvent } from '@millrace/client';
import { describe, expect, it, vi } from 'vitest';
import { countModelCalls, crashDuringCall } from './worker-crash.ts';

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

const place = { nodeId: 'Writer', nodeType: 'agent', graph: '' };
const started = (activation: 'a1' | 'a2'): JournalEvent => ({
  type: 'step.started',
  activation,
  ...place,
  step: 0,
  name: 'chat gpt-4o',
  request: 'r',
});
const completed = (activation: 'a1' | 'a2'): JournalEvent => ({
  type: 'step.completed',
  activation,
  ...place,
  step: 0,
  result: 'm1',
  usage: { promptTokens: 10, completionTokens: 5 },
});
const lost: JournalEvent = { type: 'step.lost', activation: 'a2', ...place, step: 0 };

function counted(...events: readonly JournalEvent[]) {
  const calls = countModelCalls();
  for (const event of events) calls.add({ id: '1-0', at: 0, event });
  return calls;
}

describe('the count of model calls', () => {
  it('counts a call that was lost with its worker and repeated as one interrupted and one completed call', () => {
    expect(counted(started('a1'), completed('a1'), started('a2'), lost, completed('a2')).count()).toEqual({
      completed: 2,
      tokens: 30,
      repeated: 0,
      interrupted: 1,
    });
  });

  it('counts a call as repeated that starts or completes again after it was completed', () => {
    expect(counted(started('a1'), completed('a1'), started('a1')).count().repeated).toBe(1);
    expect(counted(started('a1'), completed('a1'), completed('a1')).count().repeated).toBe(1);
  });

  it('numbers calls, and finds the call that an activation waits for', () => {
    const calls = counted(started('a1'), completed('a1'), started('a2'));

    expect([calls.inProgress('a1'), calls.inProgress('a2')]).toEqual([undefined, 2]);
  });

  it('ignores steps other than model calls', () => {
    const tool: JournalEvent = {
      type: 'step.started',
      activation: 'a1',
      ...place,
      step: 0,
      name: 'tool search',
      request: 'r',
    };

    expect(counted(tool, completed('a1')).count()).toMatchObject({ completed: 0, tokens: 0 });
  });
});
