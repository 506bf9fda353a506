import type {
  ArchivedSegment,
  ForkHistory,
  JournalEntry,
  MessageBody,
  MessageId,
  RunLimits,
  State as RunState,
} from '@millrace/core';
import { Draft, evolve, messageSize, State } from '@millrace/core';
import type { ProjectionSnapshot } from '@millrace/core/projection';
import { beginRunProjection, project, restoreProjection, snapshotOf } from '@millrace/core/projection';
import { loadBody } from '../blobs/long-bodies.ts';
import { contentsOf, takePart, versionOf } from '../commit/archive-part.ts';
import { checkpointText } from '../commit/checkpoint-text.ts';
import { referencedMessages } from '../commit/referenced-messages.ts';
import { inSlices } from '../concurrency/in-slices.ts';
import {
  copySegment,
  endOf,
  numberOf,
  putSegment,
  readCheckpoint,
  readProjection,
  sizeOf,
} from '../journal/archive/segment.ts';
import { isAfter, journalPage } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { DescendantInMaking } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';

/*
 * A fork shares the journal of another run up to a place. A short history is part of the first commit of the fork. A long one costs as
 * much as its bytes: the archived parts of the journal are copied unread, the rest of it, at most a window, becomes parts as well, and
 * the first commit names them all, with the state of the run at that place: that of the last checkpoint, from which the entries up
 * to the place are folded. A crash in between leaves blobs that no run names.
 */

/** The part of a journal that a fork shares. */
interface SharedPart {
  readonly making: DescendantInMaking;
  /** Id of the first entry that the fork does not share. */
  readonly end: string;
  /** Ids of entries before it that the fork does not share either. */
  readonly without: ReadonlySet<string>;
}

/** What a fork shares, as its first commit takes it over. */
interface SharedHistory {
  readonly history: ForkHistory;
  readonly copies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
  /** Returns the state at its end, by the times of the other run. */
  readonly state: () => Promise<RunState>;
}

/** Size of the events, and number of characters of the messages, up to which a history is part of a commit. */
const short = ({ commitCharacters }: RunLimits) => ({
  events: Math.min(journalPage, commitCharacters / 2 / eventCharacters),
  characters: Math.min(1024 * 1024, commitCharacters / 2),
});
/** Approximate number of characters that a commit writes for an event. */
const eventCharacters = 128;
/** Size of the events of a part of the rest of a journal. */
const partSize = 5000;

/** Returns the shared part of a journal; copies what is archived of it. Throws RequestError. */
export async function shareHistory(
  context: DescendantContext,
  ancestor: Ancestor,
  shared: SharedPart,
): Promise<SharedHistory> {
  const whole = wholeParts(ancestor.parts, shared);
  const beginning = whole.length > 0 ? undefined : await shortHistory(context, ancestor, shared);
  if (beginning !== undefined) return beginning;
  const state = await stateAt(context, ancestor, shared);
  const parts = await copyParts(context, { ancestor, shared, whole, state });
  return {
    history: { type: 'parts', parts, state },
    copies: await referredBodies(context.blobs, ancestor, state),
    state: async () => state,
  };
}

/** Returns those archived parts of a journal that are shared as they are. */
const wholeParts = (parts: readonly ArchivedSegment[], shared: SharedPart): readonly ArchivedSegment[] =>
  parts.filter(({ to }) => to < firstChanged(shared));

/** Returns the first version of the other run that is not shared, or not as it is. */
const firstChanged = ({ end, without }: SharedPart): number =>
  Math.min(...[...without, end].map((id) => Number.parseInt(id, 10)));

/** Yields what is shared of a journal after an entry, without what concerns where that journal is stored. */
async function* sharedEntries(
  ancestor: Ancestor,
  { end, without }: SharedPart,
  after = '0',
): AsyncGenerator<JournalEntry> {
  for await (const entry of ancestor.journal(after)) {
    if (!isAfter(end, entry.id)) return;
    if (entry.event.type !== 'journal.archived' && !without.has(entry.id)) yield entry;
  }
}

/** Returns a history that fits in a commit; undefined when it is too long for that. */
async function shortHistory(
  { blobs, cache }: DescendantContext,
  ancestor: Ancestor,
  shared: SharedPart,
): Promise<SharedHistory | undefined> {
  const most = short(cache.limits);
  const entries: JournalEntry[] = [];
  let size = 0;
  for await (const entry of sharedEntries(ancestor, shared)) {
    entries.push(entry);
    size += sizeOf(entry.event);
    if (size > most.events) return undefined;
  }
  const total = entries.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
  const copies: { readonly id: MessageId; readonly body: MessageBody }[] = [];
  let characters = 0;
  for (let from = 1; from <= total; from += bodiesAtOnce) {
    const ids = idsFrom(from, Math.min(bodiesAtOnce, total - from + 1));
    for (const copy of await bodiesOf(blobs, ancestor, ids)) {
      copies.push(copy);
      characters += messageSize(copy.body);
    }
    if (characters > most.characters) return undefined;
  }
  let folded: Promise<RunState> | undefined;
  return {
    history: { type: 'events', events: entries.map(({ event }) => event) },
    copies,
    state() {
      folded ??= foldOn(ancestor, new State(), entries);
      return folded;
    },
  };
}

/** Maximum number of bodies in one read. */
const bodiesAtOnce = 100;

const idsFrom = (first: number, count: number): MessageId[] =>
  Array.from({ length: count }, (_, at): MessageId => `m${first + at}`);

async function bodiesOf(blobs: Blobs, ancestor: Ancestor, ids: readonly MessageId[]) {
  const bodies = await Promise.all((await ancestor.bodies(ids)).map((body) => loadBody(blobs, body)));
  return bodies.map((body, at) => ({ id: ids[at] ?? ('m0' as const), body }));
}

/** Returns a state after further entries, which is changed. */
async function foldOn(
  { plan }: Pick<Ancestor, 'plan'>,
  state: RunState,
  entries: Iterable<JournalEntry>,
): Promise<RunState> {
  await inSlices(entries, ({ event, at }) => {
    const draft = new Draft(state);
    evolve({ plan, draft, at }, event);
    state.apply(draft.writes());
  });
  return state;
}

/** Returns the state at the end of what is shared. */
async function stateAt({ blobs }: DescendantContext, ancestor: Ancestor, shared: SharedPart): Promise<RunState> {
  const { state, after } = await lastCheckpoint(blobs, ancestor.parts, firstChanged(shared));
  let entries: JournalEntry[] = [];
  for await (const entry of sharedEntries(ancestor, shared, after)) {
    entries.push(entry);
    if (entries.length < journalPage) continue;
    await foldOn(ancestor, state, entries);
    entries = [];
  }
  return foldOn(ancestor, state, entries);
}

/** Returns the last whole state before a version that was stored with an archived part, or else that of an empty run. */
async function lastCheckpoint(blobs: Blobs, parts: readonly ArchivedSegment[], before: number) {
  for (const part of parts.toReversed()) {
    if (part.checkpoint === undefined || part.checkpoint >= before) continue;
    const restored = await readCheckpoint(blobs, part);
    // Of a large fan-out, checkpoints have only what comes next.
    if (restored !== undefined && restored.partial.size === 0)
      return { state: restored.state, after: endOf(part.checkpoint) };
  }
  return { state: new State(), after: '0' };
}

interface PartsSource {
  readonly ancestor: Ancestor;
  readonly shared: SharedPart;
  /** Archived parts that are copied as they are. */
  readonly whole: readonly ArchivedSegment[];
  /** The state at the end of what is shared. */
  readonly state: RunState;
}

/** Copies parts of a journal, and writes the rest that is shared as further ones, for a run that will name them. */
async function copyParts({ blobs }: DescendantContext, source: PartsSource): Promise<readonly ArchivedSegment[]> {
  const { ancestor, shared, whole, state } = source;
  const { copies, onProgress } = shared.making;
  const copied: ArchivedSegment[] = [];
  const total = (state.get('run')?.nextActivation ?? 1) - 1;
  const note = (part: ArchivedSegment): void => {
    copied.push(part);
    onProgress({ done: Math.min(part.activations, total), total });
  };
  const last = whole.at(-1);
  for (const part of whole) note(await copyOf(copies, part, last?.to ?? 0));
  const projection = last && (await readProjection(blobs, last));
  const rest = new RestOfJournal(ancestor, { last, projection, put: (end) => putSegment(copies, end) });
  for await (const entry of sharedEntries(ancestor, shared, last && endOf(last.to))) {
    const part = await rest.add(entry);
    if (part !== undefined) note(part);
  }
  for (const part of await rest.end(state)) note(part);
  return copied;
}

/** Copies a part for a fork whose copied parts end with a version. */
async function copyOf(
  blobs: Pick<Blobs, 'get' | 'put'>,
  { copiedAt: _before, checkpoint, ...part }: ArchivedSegment,
  end: number,
): Promise<ArchivedSegment> {
  const { digest } = await copySegment(blobs, part.digest);
  // The fork has other commits from there on.
  const isHere = checkpoint !== undefined && checkpoint <= end;
  return { ...part, digest, ...(isHere ? { checkpoint } : {}) };
}

interface RestOptions {
  /** The part that it comes after. */
  readonly last: ArchivedSegment | undefined;
  /** That at the end of this part. */
  readonly projection: ProjectionSnapshot | undefined;
  readonly put: (segment: Parameters<typeof putSegment>[1]) => ReturnType<typeof putSegment>;
}

/** Parts of a journal in the making. Their versions follow each other, whatever was left out. */
class RestOfJournal {
  readonly #ancestor: Ancestor;
  readonly #put: RestOptions['put'];
  readonly #projection: ReturnType<typeof beginRunProjection>;
  #last: ArchivedSegment | undefined;
  #entries: JournalEntry[] = [];
  #size = 0;
  /** Versions of the latest entry, there and here, and its number in its commit. */
  #there = 0;
  #here: number;
  #number = 0;

  constructor(ancestor: Ancestor, { last, projection, put }: RestOptions) {
    this.#ancestor = ancestor;
    this.#put = put;
    this.#projection = projection === undefined ? beginRunProjection() : restoreProjection(projection);
    this.#last = last;
    this.#here = last?.to ?? 0;
  }

  /** Adds the next entry; returns a part that was full without it. */
  async add(entry: JournalEntry): Promise<ArchivedSegment | undefined> {
    const there = versionOf(entry);
    const isNext = there !== this.#there;
    const full = isNext && this.#size >= partSize ? await this.#write() : undefined;
    this.#number = isNext ? 0 : this.#number + 1;
    if (isNext) this.#here += 1;
    this.#there = there;
    this.#entries.push({ ...entry, id: `${this.#here}-${this.#number}` });
    this.#size += sizeOf(entry.event);
    return full;
  }

  /** Writes what is left; the last part has the state at its end. */
  async end(state: RunState): Promise<readonly ArchivedSegment[]> {
    const parts: ArchivedSegment[] = [];
    while (this.#entries.length > 0) parts.push(await this.#write(state));
    return parts;
  }

  /** Writes the first commits as a part: as many as fit. */
  async #write(end?: RunState): Promise<ArchivedSegment> {
    const before = this.#last?.messages ?? 0;
    const { entries, bodies } = await takePart({
      entries: this.#entries,
      before,
      read: (ids) => this.#ancestor.bodies(ids),
    });
    this.#entries = this.#entries.slice(entries.length);
    this.#size = this.#entries.reduce((sum, { event }) => sum + sizeOf(event), 0);
    await inSlices(entries, (entry) => project(this.#projection, entry));
    const to = versionOf(entries.at(-1));
    const isLast = this.#entries.length === 0;
    const checkpoint = end !== undefined && isLast ? checkpointText(end) : undefined;
    const { digest } = await this.#put({ entries, bodies, projection: snapshotOf(this.#projection), checkpoint });
    this.#last = {
      to,
      digest,
      messages: before + bodies.length,
      ...contentsOf(entries, this.#last),
      ...(checkpoint === undefined ? {} : { checkpoint: to }),
    };
    return this.#last;
  }
}

/** Numbers of messages and of their characters that are stored with a fork, so that its nodes need not look into parts for them. */
const referred = { messages: 1000, characters: 4 * 1024 * 1024 };

/** Returns the newest messages to which a state refers; older ones are read from the parts. */
async function referredBodies(blobs: Blobs, ancestor: Ancestor, state: RunState): Promise<SharedHistory['copies']> {
  const total = (state.get('run')?.nextMessage ?? 1) - 1;
  const numbers = [...(await referencedMessages(state)).keys()].map(numberOf).filter((number) => number <= total);
  const newest = numbers.sort((one, other) => other - one).slice(0, referred.messages);
  const copies: { readonly id: MessageId; readonly body: MessageBody }[] = [];
  let characters = 0;
  for (let from = 0; from < newest.length && characters < referred.characters; from += bodiesAtOnce) {
    const ids = newest.slice(from, from + bodiesAtOnce).map((number): MessageId => `m${number}`);
    for (const copy of await bodiesOf(blobs, ancestor, ids)) {
      copies.push(copy);
      characters += messageSize(copy.body);
    }
  }
  return copies;
}
