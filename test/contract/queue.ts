import type { Wake } from '@millrace/core';
import { wakeId } from '@millrace/core';
import type { Queue } from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quickly, slowly } from '../support/fakes/processors.ts';

/** Two processes on the same queue. An adapter that cannot be shared gives the same queue twice. */
export interface QueueFixture {
  readonly queue: Queue;
  readonly other: Queue;
  /** Errors that `onError` has received. */
  readonly errors: readonly { readonly error: Error; readonly wake?: Wake | undefined }[];
  close(): Promise<void>;
}

const wakeOf = (sequence: number): Wake => ({ run: 'run_1', activation: `a${sequence}`, token: 'ü_-1' });

/** Defines the contract tests that every queue must pass. */
export function queueContract(name: string, open: () => Promise<QueueFixture>): void {
  describe(`the contract of a queue: ${name}`, () => {
    let fixture: QueueFixture;
    let queue: Queue;
    let other: Queue;

    beforeEach(async () => {
      fixture = await open();
      ({ queue, other } = fixture);
    });
    afterEach(() => fixture.close());

    it('delivers each wake to one consumer', async () => {
      const { processor, done, untilDone } = quickly();
      queue.consume(processor, { concurrency: 4, name: 'one' });
      other.consume(processor, { concurrency: 4, name: 'two' });
      const wakes = Array.from({ length: 1000 }, (_, index) => wakeOf(index));

      await queue.wake(wakes);
      await untilDone(1000);

      expect([...done].sort()).toEqual(wakes.map(wakeId).sort());
    });

    it('keeps wakes until a consumer takes them', async () => {
      await queue.wake([wakeOf(1)]);
      const { processor, done, untilDone } = quickly();

      other.consume(processor, { concurrency: 1, name: 'late' });
      await untilDone(1);

      expect(done).toEqual([wakeId(wakeOf(1))]);
    });

    it('finds the wakes that are neither queued nor executing', async () => {
      const work = slowly();
      await queue.wake([wakeOf(1)]);
      queue.consume(work.processor, { concurrency: 1, name: 'one' });
      await work.untilStarted(1);
      await queue.wake([wakeOf(2)]);

      const missing = await other.missing([wakeOf(1), wakeOf(2), wakeOf(3)]);

      expect(missing).toEqual([wakeOf(3)]);
    });

    it('ignores a wake that is queued or executing, and accepts it again afterwards', async () => {
      const work = slowly();
      await queue.wake([wakeOf(1), wakeOf(1)]);
      await queue.wake([wakeOf(1)]);
      const consumer = queue.consume(work.processor, { concurrency: 5, name: 'one' });
      await work.untilStarted(1);
      await queue.wake([wakeOf(1), wakeOf(2)]);
      await work.untilStarted(2);
      expect(work.started).toEqual(['a1', 'a2']);
      const closed = consumer.close();
      work.finish();
      await closed;

      await queue.wake([wakeOf(1)]);
      const again = quickly();
      queue.consume(again.processor, { concurrency: 1, name: 'two' });
      await again.untilDone(1);

      expect(again.done).toEqual([wakeId(wakeOf(1))]);
    });

    it('delivers a wake only to consumers of its queue', async () => {
      const [ordinary, special] = [quickly(), quickly()];
      queue.consume(ordinary.processor, { concurrency: 4, name: 'one' });
      const wakes = [{ ...wakeOf(1), queue: 'gpu' }, wakeOf(2)];

      await queue.wake(wakes);
      await ordinary.untilDone(1);
      expect(await other.consumers('gpu')).toBe(0);
      expect(await other.loads()).toMatchObject([{ queue: 'default' }, { queue: 'gpu', waiting: 1, consumers: 0 }]);
      other.consume(special.processor, { concurrency: 4, name: 'two', queues: ['gpu'] });
      await special.untilDone(1);

      expect([ordinary.done, special.done]).toEqual([[wakeId(wakeOf(2))], [wakeId(wakeOf(1))]]);
    });

    it('delivers wakes of every queue to consumers of all queues', async () => {
      const { processor, done, untilDone } = quickly();
      queue.consume(processor, { concurrency: 4, name: 'all', queues: 'all' });

      await other.wake([{ ...wakeOf(1), queue: 'gpu' }]);
      await other.wake([wakeOf(2)]);
      await untilDone(2);

      expect(done.toSorted()).toEqual([wakeId(wakeOf(1)), wakeId(wakeOf(2))]);
    });

    it('orders wakes by priority', async () => {
      const { processor, done, untilDone } = quickly();
      await queue.wake([{ ...wakeOf(1), priority: 5 }]);
      await queue.wake([{ ...wakeOf(2), priority: 1 }, wakeOf(3)]);
      await queue.wake([wakeOf(4)]);

      other.consume(processor, { concurrency: 1, name: 'one' });
      await untilDone(4);

      expect(done).toEqual([3, 4, 2, 1].map((sequence) => wakeId(wakeOf(sequence))));
    });

    it('executes as many wakes at once as its concurrency', async () => {
      const work = slowly();
      queue.consume(work.processor, { concurrency: 3, name: 'one' });
      await queue.wake(Array.from({ length: 5 }, (_, index) => wakeOf(index)));

      await work.untilStarted(3);
      expect(work.started).toHaveLength(3);
      work.finish();
      await work.untilStarted(5);
      work.finish();

      expect(work.started.toSorted()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
    });

    it('finishes the work in progress when a consumer is closed, and takes no more', async () => {
      const work = slowly();
      const consumer = queue.consume(work.processor, { concurrency: 1, name: 'one' });
      await queue.wake([wakeOf(1), wakeOf(2)]);
      await work.untilStarted(1);

      const closed = consumer.close();
      work.finish();
      await closed;

      expect(work.started).toEqual(['a1']);
      expect(work.signals[0]?.aborted).toBe(false);
    });

    it('aborts the work in progress when the queue is closed', async () => {
      const work = slowly();
      queue.consume(work.processor, { concurrency: 1, name: 'one' });
      await queue.wake([wakeOf(1)]);
      await work.untilStarted(1);

      await queue.close();

      expect(work.signals[0]?.aborted).toBe(true);
      work.finish();
    });

    it('reports a processor that throws, and continues', async () => {
      const { processor, done, untilDone } = quickly();
      queue.consume(
        async (wake) => {
          if (wake.activation === 'a1') throw new Error('broken');
          await processor(wake);
        },
        { concurrency: 1, name: 'one' },
      );

      await queue.wake([wakeOf(1), wakeOf(2), wakeOf(3)]);
      await untilDone(2);

      expect(done).toHaveLength(2);
      expect(fixture.errors).toMatchObject([{ error: { message: 'broken' }, wake: wakeOf(1) }]);
    });
  });
}
