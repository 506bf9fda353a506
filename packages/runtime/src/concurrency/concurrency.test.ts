import { describe, expect, it } from 'vitest';
import { inPortions } from './in-slices.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { withTimeout } from './with-timeout.ts';

describe('a keyed mutex', () => {
  it('runs actions of one key in the order of their calls, and actions of other keys concurrently', async () => {
    const mutex = new KeyedMutex();
    const order: string[] = [];
    let finishFirst = () => {};
    const first = mutex.run('a', () =>
      new Promise<void>((resolve) => (finishFirst = resolve)).then(() => void order.push('a1')),
    );
    const second = mutex.run('a', async () => void order.push('a2'));
    await mutex.run('b', async () => void order.push('b1'));
    expect(mutex.isLocked('a')).toBe(true);

    finishFirst();
    await Promise.all([first, second]);

    expect(order).toEqual(['b1', 'a1', 'a2']);
    expect(mutex.isLocked('a')).toBe(false);
  });

  it('runs the next action after one that fails, and throws to its caller alone', async () => {
    const mutex = new KeyedMutex();
    const failing = mutex.run('a', () => Promise.reject(new Error('broken')));
    const next = mutex.run('a', async () => 'done');

    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});

describe('a timeout', () => {
  const never = new Promise<never>(() => {});

  it('rejects when the promise takes longer', async () => {
    await expect(withTimeout(never, 1, () => new Error('too late'))).rejects.toThrow('too late');
  });

  it('settles as the promise does before the timeout', async () => {
    expect(await withTimeout(Promise.resolve(1), 60_000, () => new Error('too late'))).toBe(1);
    const failing = withTimeout(Promise.reject(new Error('broken')), 60_000, () => new Error('too late'));
    await expect(failing).rejects.toThrow('broken');
  });
});

describe('a turn of the event loop', () => {
  it('is given to one of all who wait for their next slice of work, in their order', async () => {
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const worked: { readonly by: number; readonly turn: number }[] = [];
    const work = (by: number) =>
      inPortions(Array(1500).fill(by), async () => {
        worked.push({ by, turn });
      });

    await Promise.all([work(0), work(1), work(2), work(3)]);
    isOver = true;

    // The first slices are part of the calls.
    const later = worked.slice(4);
    expect(later.map(({ by }) => by)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect(new Set(later.map(({ turn: at }) => at)).size).toBe(8);
  });
});
