import { setImmediate as turn } from 'node:timers/promises';
import { State } from '@millrace/core';
import { expect, it } from 'vitest';
import { referencedMessages } from './referenced-messages.ts';

const message = (at: number) => ({ id: `m${at}`, role: 'user', source: 'A' }) as const;

it('finds all messages of a large state, and lets others have their turns meanwhile', async () => {
  const state = new State();
  const numbers = Array.from({ length: 5_000 }, (_, at) => at);
  for (const at of numbers) state.records.set(`result/s1/${at}`, { outputs: [message(at)], routes: [] });
  state.lists.set(
    'units/s1',
    numbers.map((at) => message(at + 5_000)),
  );
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns++) await turn();
  })();

  const finding = referencedMessages(state);
  // What is removed while it looks is found, too: the bodies of that moment are still needed.
  state.records.clear();
  state.lists.clear();
  const found = await finding;
  isDone = true;
  await counting;

  expect(found.size).toBe(10_000);
  expect(turns).toBeGreaterThanOrEqual(10_000 / 1000);
});
