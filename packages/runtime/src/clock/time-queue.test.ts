import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TimeEntry } from './time-queue.ts';
import { TimeQueue } from './time-queue.ts';

it('has the order of the times, and of the additions within one time, whatever was removed', () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ remove: fc.nat() }),
    fc.constant('pop' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = new TimeQueue<number>();
      let model: TimeEntry<number>[] = [];
      const remove = (entry: TimeEntry<number> | undefined) => {
        if (entry === undefined) return;
        queue.remove(entry);
        model = model.filter((one) => one !== entry);
      };
      steps.forEach((one, index) => {
        if (one === 'pop') remove(queue.first());
        else if ('remove' in one) remove(model[one.remove % Math.max(model.length, 1)]);
        else model.push(queue.add(one.add, index));
        model.sort((a, b) => a.at - b.at || a.value - b.value);
        expect(queue.first()).toBe(model[0]);
      });
      expect(queue.inOrder()).toEqual(model);
    }),
  );
});

it('does not grow with entries that were removed', () => {
  const queue = new TimeQueue<number>();
  queue.add(0, 0);
  for (let index = 1; index < 10_000; index++) queue.remove(queue.add(index, index));

  expect(queue.inOrder()).toHaveLength(1);
  expect(queue.heldEntries).toBeLessThan(200);
});
