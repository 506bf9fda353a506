import type { JournalEntry } from '@millrace/core';
import type { Fault } from './fault.ts';

type Journal = readonly JournalEntry[];

interface Start {
  readonly at: number;
  readonly worker: string;
}

/** Returns the starts (time and worker) of each activation of a journal that took long enough to be announced. */
function startsIn(journal: Journal): readonly (readonly Start[])[] {
  const starts = new Map<string, Start[]>();
  for (const { at, event } of journal) {
    if (event.type !== 'activation.started') continue;
    starts.set(event.activation, [...(starts.get(event.activation) ?? []), { at, worker: event.worker }]);
  }
  return [...starts.values()];
}

/** Returns the number of activations that were started more than once. */
export const startedTwice = (journals: readonly Journal[]): number =>
  journals.flatMap(startsIn).filter(({ length }) => length > 1).length;

/**
 * Milliseconds from each fault until work continued: for a worker, until another worker began each activation that it had
 * at hand; for all else, until the next commit of any run.
 */
export function recoveries(journals: readonly Journal[], faults: readonly Fault[]): number[] {
  const starts = journals.flatMap(startsIn);
  const times = journals.flatMap((journal) => journal.map(({ at }) => at)).sort((a, b) => a - b);
  return faults.flatMap((fault) => {
    if (fault.worker !== undefined) return starts.flatMap((ofOne) => takenOver(ofOne, fault));
    const next = times.find((at) => at >= fault.at);
    return next === undefined ? [] : [next - fault.at];
  });
}

function takenOver(starts: readonly Start[], { at, worker }: Fault): number[] {
  const held = starts.findLastIndex((start) => start.at <= at);
  const next = starts[held + 1];
  return starts[held]?.worker === worker && next !== undefined ? [next.at - at] : [];
}
