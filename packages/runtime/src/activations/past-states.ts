import type { JournalEntry, Plan, RunId } from '@millrace/core';
import { Draft, evolve, State } from '@millrace/core';
import { isAfter, readJournal } from '../journal/read-journal.ts';
import type { Store } from '../ports/store/port.ts';

/*
 * The state of a run in the past is its journal folded up to there. The first look at a past folds from the beginning of
 * the journal; copies of the state that are kept on the way let later looks begin nearby. They belong to the cached
 * state of the run, and go when that goes.
 */

/** Number of events between two copies, which grows when there are too many copies. */
const minDistance = 2_000;
const maxCopies = 16;

/** A copy of the state as of an event. */
interface Copy {
  readonly event: string;
  readonly state: State;
}

/** Copies of the past of a run, oldest first. */
interface Past {
  distance: number;
  copies: Copy[];
}

const pasts = new WeakMap<object, Past>();

/** A run whose past is looked at. */
export interface PastRun {
  readonly store: Pick<Store, 'journal'>;
  readonly run: RunId;
  readonly plan: Plan;
  /** The cached state of the run, as of now. */
  readonly now: object;
}

/**
 * Folds a journal from before an event on, and calls `look` with the state before each of its entries, until that returns
 * false. The state is valid during the call.
 */
export async function foldFrom(
  { store, run, plan, now }: PastRun,
  event: string,
  look: (state: State, entry: JournalEntry) => boolean,
): Promise<void> {
  const past = pasts.get(now) ?? { distance: minDistance, copies: [] };
  pasts.set(now, past);
  const nearest = past.copies.findLast((copy) => !isAfter(copy.event, event));
  const state = nearest === undefined ? new State() : copyOf(nearest.state);
  let last = nearest?.event ?? '0';
  let folded = 0;
  for await (const entry of readJournal(store, run, last)) {
    if (!look(state, entry)) return;
    const draft = new Draft(state);
    evolve({ plan, draft, at: entry.at }, entry.event);
    state.apply(draft.writes());
    last = entry.id;
    folded += 1;
    if (folded % past.distance === 0) keep(past, { event: last, state: copyOf(state) });
  }
}

/** Returns a copy that the original does not change: its values are never changed, only replaced. */
function copyOf({ records, lists }: State): State {
  const copy = new State();
  for (const [key, value] of records) copy.records.set(key, value);
  for (const [key, entries] of lists) copy.lists.set(key, entries.slice());
  return copy;
}

/** Keeps a copy unless there is one nearby; with too many of them, every second one goes. */
function keep(past: Past, copy: Copy): void {
  if (past.copies.some(({ event }) => event === copy.event)) return;
  const copies = [...past.copies, copy].sort((one, other) => (isAfter(one.event, other.event) ? 1 : -1));
  if (copies.length <= maxCopies) {
    past.copies = copies;
    return;
  }
  past.copies = copies.filter((_, at) => at % 2 === 1);
  past.distance *= 2;
}
