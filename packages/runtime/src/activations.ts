import type {
  ActivationId,
  ActivationRecord,
  Event,
  Failure,
  InputRef,
  JournalEntry,
  Message,
  MessageRef,
  Part,
  Plan,
  RunId,
  StateView,
  Usage,
  Wait,
} from '@millrace/core';
import { Draft, evolve, inputOf, isAtWork, isWaiting, placeOf, State } from '@millrace/core';
import type { OpenRun, Runs } from './api.ts';
import type { Store } from './store/port.ts';

/*
 * What the activations of a run were given and what they came to. State forgets an activation when it has settled; its
 * journal does not. It is folded again from its beginning, up to where those that are asked for have settled: that costs
 * as much as the run had done until then, and nothing where nobody looks.
 */

/** How an activation stands. `dropped`: the run ended, or was stopped, before it had settled. */
export type ActivationState = 'ready' | 'working' | 'waiting' | 'opened' | 'completed' | 'failed' | 'dropped';

/** One time a node was due. Times are milliseconds since 1970. */
export interface Activation {
  readonly id: ActivationId;
  /** Empty for the count of votes of a voting graph. */
  readonly node: string;
  /** The key of its graph: empty for the root. */
  readonly graph: string;
  readonly part: Part;
  /** Which unit of a fan-out it is. */
  readonly unit?: number;
  readonly state: ActivationState;
  /** How often a worker has announced work on it; work that ends at once is not announced. */
  readonly attempts: number;
  readonly readyAt: number;
  readonly startedAt?: number;
  readonly settledAt?: number;
  /** Why it failed last. */
  readonly error?: Failure;
  /** What it asks a person. */
  readonly wait?: Wait;
  /** What it asked last, answered or not. */
  readonly asked?: Wait;
  readonly warnings: readonly string[];
  /** What it has called, in order: models, tools, programs. */
  readonly calls: readonly Call[];
}

/** A step of an activation. */
export interface Call {
  readonly step: number;
  readonly name: string;
  readonly startedAt: number;
  /** Absent while it is under way. */
  readonly completedAt?: number;
  readonly usage?: Usage;
  /** It came to nothing. */
  readonly failed?: true;
}

/** An activation and its messages. */
export interface ActivationDetail extends Activation {
  /** All that the node is given: what has come to it, and what its context has kept. */
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/** Where activations are read from. */
export interface Told {
  readonly runs: Pick<Runs, 'refresh' | 'messages'>;
  readonly store: Pick<Store, 'journal'>;
}

const pageSize = 1000;

/** Activations in the order in which they came about, behind one of them (0: from the first), at most `limit`. */
export async function listActivations(
  told: Told,
  run: RunId,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly Activation[] | undefined> {
  const now = await told.runs.refresh(run);
  if (now === undefined) return undefined;
  const wanted = (id: ActivationId) => numberOf(id) > after && numberOf(id) <= after + limit;
  const tellings = await retell({ ...told, ...now, run, wanted, count: limit });
  return [...tellings.values()].map((telling) => activationOf(telling, now));
}

/** One activation with its messages; undefined when there is no such activation, or run. */
export async function findActivation(told: Told, run: RunId, id: ActivationId): Promise<ActivationDetail | undefined> {
  const now = await told.runs.refresh(run);
  if (now === undefined) return undefined;
  const tellings = await retell({ ...told, ...now, run, wanted: (one) => one === id, count: 1 });
  const telling = tellings.get(id);
  if (telling === undefined) return undefined;
  const input = await told.runs.messages(run, telling.input);
  const output = await told.runs.messages(run, telling.outputs);
  return { ...activationOf(telling, now), input, output };
}

const numberOf = (id: ActivationId): number => Number(id.slice(1));

/** What is known of an activation so far. */
interface Telling {
  readonly id: ActivationId;
  readonly node: string;
  readonly graph: string;
  readonly record: ActivationRecord;
  readonly calls: Map<number, Call>;
  attempts: number;
  startedAt?: number;
  settledAt?: number;
  last?: 'opened' | 'completed' | 'failed';
  error?: Failure;
  asked?: Wait;
  warnings: readonly string[];
  input: readonly InputRef[];
  outputs: readonly MessageRef[];
}

interface Retelling extends Told, OpenRun {
  readonly run: RunId;
  readonly wanted: (id: ActivationId) => boolean;
  /** How many there can be at most. */
  readonly count: number;
}

async function retell(retelling: Retelling): Promise<ReadonlyMap<ActivationId, Telling>> {
  const { store, run, plan, count } = retelling;
  const tellings = new Map<ActivationId, Telling>();
  const state = new State();
  const isDone = () =>
    tellings.size === count && [...tellings.values()].every(({ settledAt }) => settledAt !== undefined);
  let entries = await store.journal(run, '0', pageSize);
  while (entries.length > 0 && !isDone()) {
    for (const entry of entries) tellOf(tellings, { ...retelling, state, entry });
    entries = await store.journal(run, entries.at(-1)?.id ?? '0', pageSize);
  }
  for (const telling of tellings.values()) {
    if (state.get(`activation/${telling.id}`) !== undefined) telling.input = inputOf(plan, state, telling.id);
  }
  return tellings;
}

interface Next extends Pick<Retelling, 'plan' | 'wanted'> {
  readonly state: State;
  readonly entry: JournalEntry;
}

/** Moves the state on by an event, and notes the event where an activation is asked for that it is about. */
function tellOf(tellings: Map<ActivationId, Telling>, { plan, wanted, state, entry }: Next): void {
  const { event } = entry;
  const telling = 'activation' in event ? tellings.get(event.activation) : undefined;
  // Settling takes the input away.
  if (telling?.settledAt === undefined && telling !== undefined) telling.input = inputOf(plan, state, telling.id);
  advance(plan, state, entry);
  if (telling !== undefined) note(telling, entry);
  else if (event.type === 'activation.ready' && wanted(event.activation)) {
    tellings.set(event.activation, beginning(plan, state, event.activation));
  }
}

function advance(plan: Plan, state: State, { at, event }: JournalEntry): void {
  const draft = new Draft(state);
  evolve({ plan, draft, at }, event);
  state.apply(draft.writes());
}

function beginning(plan: Plan, state: StateView, id: ActivationId): Telling {
  const record = state.get(`activation/${id}`);
  if (record === undefined) throw new Error(`activation ${id} became ready and has no record`);
  const { graph, node } = placeOf(plan, state, record);
  const place = { id, record, node: node?.id ?? '', graph: graph.key };
  return { ...place, calls: new Map(), attempts: 0, warnings: [], outputs: [], input: inputOf(plan, state, id) };
}

/** Notes an event of the activation. */
function note(telling: Telling, { at, event }: JournalEntry): void {
  if (event.type === 'activation.started') {
    telling.attempts += 1;
    telling.startedAt ??= at;
  } else if (event.type === 'step.started') {
    telling.calls.set(event.step, { step: event.step, name: event.name, startedAt: at });
  } else if (event.type === 'step.completed') {
    noteCall(telling, event, at);
  } else if (event.type === 'activation.completed') {
    Object.assign(telling, settled(at, 'completed'), { outputs: event.outputs, warnings: event.warnings ?? [] });
  } else if (event.type === 'activation.suspended') {
    telling.asked = event.wait;
  } else if (event.type === 'activation.opened') {
    Object.assign(telling, settled(at, 'opened'));
  } else if (event.type === 'activation.failed') {
    Object.assign(telling, settled(at, 'failed'), { error: event.error });
  }
}

const settled = (settledAt: number, last: NonNullable<Telling['last']>) => ({ settledAt, last });

function noteCall(telling: Telling, event: Extract<Event, { type: 'step.completed' }>, completedAt: number): void {
  const { step, usage, failed } = event;
  const begun = telling.calls.get(step) ?? { step, name: '', startedAt: completedAt };
  telling.calls.set(step, {
    ...begun,
    completedAt,
    ...(usage === undefined ? {} : { usage }),
    ...(failed === undefined ? {} : { failed }),
  });
}

function activationOf({ record, calls, ...telling }: Telling, { state }: OpenRun): Activation {
  const { last, input: _input, outputs: _outputs, ...facts } = telling;
  const now = state.get(`activation/${telling.id}`);
  const { unit, part, readyAt } = record;
  return {
    ...facts,
    part,
    readyAt,
    ...(unit === undefined ? {} : { unit }),
    ...(now?.wait !== undefined && isWaiting(now) ? { wait: now.wait } : {}),
    state: now === undefined ? (last ?? 'dropped') : stateOf(now),
    calls: [...calls.values()].sort((one, other) => one.step - other.step),
  };
}

/** How an activation that has a record stands. */
export function stateOf(
  record: ActivationRecord,
): Extract<ActivationState, 'ready' | 'working' | 'waiting' | 'failed'> {
  if (record.failed) return 'failed';
  if (isWaiting(record)) return 'waiting';
  return isAtWork(record) ? 'working' : 'ready';
}
