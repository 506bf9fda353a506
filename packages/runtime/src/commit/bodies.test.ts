import type { MessageBody, MessageId, MessageRef } from '@millrace/core';
import { expect, it } from 'vitest';
import type { Store } from '../ports/store/port.ts';
import { Bodies } from './bodies.ts';

const textOf = (id: MessageId): MessageBody => ({ role: 'user', content: `text of ${id}`.padEnd(100) });
const ref = (id: MessageId): MessageRef => ({ id, role: 'user', source: 'TASK' });

/** A cache of so many characters over a store whose reads end when the test says so. */
function cacheOf(limit: number) {
  const reads: (readonly MessageId[])[] = [];
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const bodies: Store['bodies'] = async (_run, ids) => {
    reads.push(ids);
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    return ids.map(textOf);
  };
  // It reads nothing else of the store, and no message is a blob.
  const cache = new Bodies({ bodies } as Store, {} as ConstructorParameters<typeof Bodies>[1], limit);
  return {
    cache,
    reads,
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

it('returns messages that others have pushed out of the cache while the rest was read', async () => {
  const { cache, hold, release } = cacheOf(700);
  await cache.read('r', ['m1']);
  hold();
  const read = cache.messages('r', [ref('m1'), ref('m2')]);
  cache.learn('r', [
    { id: 'm3', body: textOf('m3') },
    { id: 'm4', body: textOf('m4') },
  ]);
  release();

  expect((await read).map(({ content }) => content)).toEqual([textOf('m1').content, textOf('m2').content]);
});

it('keeps as much as before after runs were forgotten while they were read', async () => {
  const { cache, reads, hold, release } = cacheOf(700);
  for (let n = 0; n < 10; n++) {
    hold();
    const read = cache.read(`r${n}`, ['m1']);
    cache.forget(`r${n}`);
    release();
    await read;
  }
  await cache.read('r', ['m1', 'm2']);
  reads.length = 0;

  await cache.read('r', ['m1', 'm2']);
  expect(reads).toEqual([]);
});

it('does not remember what was read of a run that was forgotten meanwhile', async () => {
  const { cache, reads, hold, release } = cacheOf(1000);
  hold();
  const read = cache.read('r', ['m1']);
  cache.forget('r');
  release();
  await read;

  await cache.read('r', ['m1']);
  expect(reads).toEqual([['m1'], ['m1']]);
});

it('keeps a limited number of runs, however short their messages are', async () => {
  const { cache, reads } = cacheOf(Number.POSITIVE_INFINITY);
  await cache.read('first', ['m1']);
  for (let n = 0; n < 10_000; n++) await cache.messages(`r${n}`, []);

  await cache.read('first', ['m1']);
  expect(reads).toEqual([['m1'], ['m1']]);
});
