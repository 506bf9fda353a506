import { expect, it } from 'vitest';
import type { ReadReply, ReadTask } from './read-task.ts';
import { RememberedReadings } from './remembered-readings.ts';

/** Readings of which each is counted, and ends when it is told to. */
function countedReadings(reply: ReadReply = { isValid: true, issues: [] }) {
  const readings = new RememberedReadings();
  let count = 0;
  return {
    get count() {
      return count;
    },
    read: (task: Partial<ReadTask> = {}, owner = 'acme', fails = false) =>
      readings.of({ text: 'graph:', mode: 'run', wants: 'workflow', ...task }, owner, async () => {
        count += 1;
        if (fails) throw new Error('busy');
        return { ...reply };
      }),
  };
}

it('reads a text once for 200 that want it at once, and for those that want it later', async () => {
  const readings = countedReadings();

  const replies = await Promise.all(Array.from({ length: 200 }, () => readings.read()));
  replies.push(await readings.read());

  expect(readings.count).toBe(1);
  expect(new Set(replies).size).toBe(1);
});

it.each<[string, Partial<ReadTask>, string?]>([
  ['another text', { text: 'other:' }],
  ['other values of variables', { variables: { a: 1 } }],
  ['another mode', { mode: 'check' }],
  ['the compatible mode', { compat: 'chatdev' }],
  ['another tenant', {}, 'beta'],
])('reads again for %s', async (_what, task, owner) => {
  const readings = countedReadings();
  await readings.read();

  await readings.read(task, owner);

  expect(readings.count).toBe(2);
});

it('keeps no failures and no invalid texts', async () => {
  const invalid = countedReadings({ isValid: false, issues: [] });
  const failing = countedReadings();

  for (let time = 0; time < 2; time++) {
    await invalid.read();
    await expect(failing.read({}, 'acme', true)).rejects.toThrow('busy');
  }

  expect([invalid.count, failing.count]).toEqual([2, 2]);
});

it('drops those that were not wanted for longest when texts and results have too many characters', async () => {
  const readings = countedReadings();
  const texts = Array.from({ length: 9 }, (_, at) => `${at}`.padEnd(1024 * 1024));
  for (const text of texts.slice(0, 7)) await readings.read({ text });
  await readings.read({ text: texts[0] ?? '' });
  for (const text of texts.slice(7)) await readings.read({ text });
  expect(readings.count).toBe(9);

  await readings.read({ text: texts[0] ?? '' });
  expect(readings.count).toBe(9);
  await readings.read({ text: texts[1] ?? '' });
  expect(readings.count).toBe(10);
});
