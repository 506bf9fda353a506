import type { ActivationId, JournalEntry } from '@millrace/core';
import type { Fault } from './faults.ts';

type Journal = readonly JournalEntry[];

/** When each activation of a journal was begun, for those that took long enough to be told. */
function startsIn(journal: Journal): readonly (readonly number[])[] {
  const starts = new Map<ActivationId, number[]>();
  for (const { at, event } of journal) {
    if (event.type !== 'activation.started') continue;
    starts.set(event.activation, [...(starts.get(event.activation) ?? []), at]);
  }
  return [...starts.values()];
}

/** How many activations were begun more than once. */
export const startedTwice = (journals: readonly Journal[]): number =>
  journals.flatMap(startsIn).filter(({ length }) => length > 1).length;

/** For each attempt that repeats another: milliseconds from the first fault in between. */
export const recoveries = (journals: readonly Journal[], faults: readonly Fault[]): number[] =>
  journals.flatMap(startsIn).flatMap((starts) =>
    starts.slice(1).flatMap((again, index) => {
      const before = starts[index] ?? 0;
      const fault = faults.find(({ at }) => at >= before && at <= again);
      return fault === undefined ? [] : [again - fault.at];
    }),
  );
