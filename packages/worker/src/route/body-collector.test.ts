import { setImmediate as turn } from 'node:timers/promises';
import type { Message, MessageRef } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { expect, it } from 'vitest';
import { BodyCollector, storedInput } from './body-collector.ts';

const said = (text: string): Message => textMessage('user', text, 'A');
const refTo = (at: number): MessageRef => ({ id: `m${at}`, role: 'user', source: 'A' });

it('stores the messages of an input by reference, and each other one once', async () => {
  const [one, two, other] = [said('1'), said('2'), said('3')];

  const collector = new BodyCollector(await storedInput([one, two], [refTo(1), refTo(2)]));
  const added = [two, other, one, other].map((message) => collector.add(message).body);

  expect(added).toEqual(['m2', 0, 'm1', 0]);
  expect(collector.bodies).toHaveLength(1);
});

it('lets others have their turns while it looks up a very long input', async () => {
  const input = Array.from({ length: 200_000 }, (_, at) => said(`${at}`));
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns++) await turn();
  })();

  const stored = await storedInput(
    input,
    input.map((_, at) => refTo(at)),
  );
  isOver = true;
  await counting;

  expect(input.every((message, at) => stored.idOf(message) === `m${at}`)).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(3);
});
