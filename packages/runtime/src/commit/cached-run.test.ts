import { setImmediate as turn } from 'node:timers/promises';
import type { Event, RunRecord } from '@millrace/core';
import { expect, it } from 'vitest';
import type { MissedCommit } from '../ports/store/port.ts';
import { catchUp, emptyCachedRun } from './cached-run.ts';
import { emptyPlan } from './transact.ts';

it('follows thousands of missed commits in turns, and has the state of one version in each of them', async () => {
  const cached = emptyCachedRun('run_1');
  cached.state.records.set('run', { plan: 'p' } as RunRecord);
  const alarmsAt = (dueAt: number): Event[] =>
    Array.from({ length: 20 }, (_, at) => ({ type: 'alarm.set', alarm: `alarm/${at}`, dueAt, token: 't' }));
  const missed = Array.from(
    { length: 5000 },
    (_, at): MissedCommit => ({ version: at + 1, nonce: `n${at + 1}`, at, events: alarmsAt(at + 1) }),
  );
  const found = new Set<number>();
  let isDone = false;
  const watching = (async () => {
    for (; !isDone; await turn()) {
      found.add(cached.version);
      if (cached.version === 0) continue;
      expect(cached.nonce).toBe(`n${cached.version}`);
      for (const alarm of ['alarm/0', 'alarm/19'] as const) expect(cached.state.get(alarm)?.dueAt).toBe(cached.version);
    }
  })();

  const source = { load: async () => undefined, planOf: async () => emptyPlan };
  expect(await catchUp(source, cached, { type: 'behind', missed })).toBe(true);
  isDone = true;
  await watching;

  expect(cached).toMatchObject({ version: 5000, nonce: 'n5000', at: 4999 });
  expect(found.size).toBeGreaterThanOrEqual(3);
});
