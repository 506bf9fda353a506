import type { ActivationId, ArchivedSegment, InputRef, Plan, RestoredState, RunId, StateView } from '@millrace/core';
import { Draft, evolve, lacksFor, restoredInput, State } from '@millrace/core';
import { endOf, readCheckpoint } from '../journal/archive/segment.ts';
import { isAfter, readJournal } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';

/*
 * The state forgets an activation when it has settled; the journal does not. So the input of a settled activation is found by
 * folding the journal again, up to the event that settled it: from the checkpoint before it in the archived parts of
 * the journal, or from a copy of the state that an earlier look has left nearby. Copies belong to the cached state of the run,
 * and go when that goes.
 */

/** Number of events between two copies, which grows when there are too many copies. */
const minDistance = 2_000;
const maxCopies = 16;

/** A state as of an event. */
interface PastState extends RestoredState {
  readonly event: string;
}

/** Copies of the past of a run, oldest first. */
interface Past {
  distance: number;
  copies: PastState[];
  /** Inputs that are being found, by activation: those who look at the same one at the same time share the fold. */
  readonly sought: Map<ActivationId, Promise<readonly InputRef[]>>;
}

const pasts = new WeakMap<object, Past>();

/** A run whose past is looked at. */
export interface PastRun {
  readonly store: Pick<Store, 'journal'>;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly run: RunId;
  readonly plan: Plan;
  /** The cached state of the run, as of now. */
  readonly now: StateView;
}

/** A settled activation, and the id of the event that settled it, or of an earlier one. */
interface PastActivation {
  readonly id: ActivationId;
  readonly place: string;
}

/** Returns the input that a settled activation had before the event that settled it. */
export function pastInput(run: PastRun, activation: PastActivation): Promise<readonly InputRef[]> {
  const { sought } = pastOf(run);
  const known = sought.get(activation.id);
  if (known !== undefined) return known;
  const input = findInput(run, activation).finally(() => sought.delete(activation.id));
  sought.set(activation.id, input);
  return input;
}

function pastOf({ now }: Pick<PastRun, 'now'>): Past {
  const past = pasts.get(now) ?? { distance: minDistance, copies: [], sought: new Map() };
  pasts.set(now, past);
  return past;
}

async function findInput(past: PastRun, activation: PastActivation): Promise<readonly InputRef[]> {
  for await (const start of beginnings(past, activation.place)) {
    const input = await inputFrom(past, activation, start);
    if (input !== undefined) return input;
  }
  return [];
}

/** Yields states from which the journal can be folded to a place, the nearest first and the beginning last. */
async function* beginnings({ blobs, now }: PastRun, place: string): AsyncGenerator<PastState> {
  const copies = (pasts.get(now)?.copies ?? []).filter(({ event }) => !isAfter(event, place));
  const segments: readonly ArchivedSegment[] = now.list('archive/journal');
  for (const segment of segments.toReversed()) {
    const { checkpoint: version } = segment;
    if (version === undefined || isAfter(endOf(version), place)) continue;
    while (isAfter(copies.at(-1)?.event ?? '0', endOf(version))) yield* copies.splice(-1).map(copyOf);
    const restored = await readCheckpoint(blobs, segment);
    if (restored !== undefined) yield { event: endOf(version), ...restored };
  }
  yield* copies.reverse().map(copyOf);
  yield { event: '0', state: new State(), partial: new Set() };
}

/** Folds the journal from a state on to an input; returns undefined when the state lacks something for it. */
async function inputFrom(
  { store, run, plan, now }: PastRun,
  { id }: PastActivation,
  start: PastState,
): Promise<readonly InputRef[] | undefined> {
  const past = pastOf({ now });
  const { state, partial } = start;
  let input: readonly InputRef[] | undefined = [];
  let wasLive = false;
  let folded = 0;
  for await (const { id: last, at, event } of readJournal(store, run, start.event)) {
    const isLive = state.get(`activation/${id}`) !== undefined;
    if (wasLive && !isLive) return input;
    if (isLive && 'activation' in event && event.activation === id) input = restoredInput(plan, start, id);
    if (input === undefined || lacksFor(start, event)) return undefined;
    wasLive = isLive;
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
    folded += 1;
    if (folded % past.distance === 0) keep(past, copyOf({ event: last, state, partial }));
  }
  return input;
}

const copyOf = ({ event, state, partial }: PastState): PastState => ({ event, state: state.copy(), partial });

/** Keeps a copy unless there is one nearby; with too many of them, every second one goes. */
function keep(past: Past, copy: PastState): void {
  if (past.copies.some(({ event }) => event === copy.event)) return;
  const copies = [...past.copies, copy].sort((one, other) => (isAfter(one.event, other.event) ? 1 : -1));
  if (copies.length <= maxCopies) {
    past.copies = copies;
    return;
  }
  past.copies = copies.filter((_, at) => at % 2 === 1);
  past.distance *= 2;
}
