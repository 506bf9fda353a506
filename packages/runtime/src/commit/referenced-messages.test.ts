import { setImmediate as turn } from 'node:timers/promises';
import { State } from '@millrace/core';
import { expect, it } from 'vitest';
import { referencedMessages } from './referenced-messages.ts';

const message = (at: number) => ({ id: `m${at}`, role: 'user', source: 'A' }) as const;

it('finds all messages of a large state as it was when it began', async () => {
  const state = new State();
  const numbers = Array.from({ length: 50_000 }, (_, at) => at);
  for (const at of numbers) state.records.set(`result/s1/${at}`, { outputs: [message(at)], routes: [] });
  state.lists.set(
    'units/s1',
    numbers.map((at) => message(at + 50_000)),
  );

  const finding = referencedMessages(state);
  // What is removed while it looks is found, too: the bodies of that moment are still needed.
  for (const at of numbers) state.records.delete(`result/s1/${at}`);
  state.lists.get('units/s1')?.splice(0);
  const found = await finding;

  expect(found.size).toBe(100_000);
});

it('finds the messages of a long list in one record', async () => {
  const state = new State();
  const outputs = Array.from({ length: 50_000 }, (_, at) => message(at));
  state.records.set('result/s1/0', { outputs, routes: [] });

  expect((await referencedMessages(state)).size).toBe(50_000);
});

it('lets others have their turns while it looks at very many small records', async () => {
  const state = new State();
  for (let at = 0; at < 200_000; at++) state.records.set(`result/s1/${at}`, { outputs: [message(at)], routes: [] });
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns++) await turn();
  })();

  await referencedMessages(state);
  isOver = true;
  await counting;

  expect(turns).toBeGreaterThanOrEqual(3);
});
