import type { JournalEntry, JournalPart, MessageBody, MessageId } from '@millrace/core';
import { messageSize, omitUndefined } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { LruMap } from '../blobs/read-through-cache.ts';
import { versionOf } from '../commit/archive-part.ts';
import { nextTurn } from '../concurrency/in-slices.ts';
import {
  copySegment,
  endOf,
  getSegment,
  indexAfter,
  numberOf,
  openSegment,
  putSegment,
} from '../journal/archive/segment.ts';
import { journalPage } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { StoredBody } from '../ports/store/port.ts';
import type { DescendantInMaking, RunCopies } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';

/** Number of entries from which on a part is full. */
const manyEntries = 2000;
/** Number of characters of its messages from which on it is full. */
const manyCharacters = 4 * 1024 * 1024;

/**
 * Copies the journal of a run, with its messages, into blobs that belong to the new run, which will name them: archived parts as they
 * are, the rest in parts of its own. `see` gets each entry, page by page; if it throws, nothing further is copied. Throws NodeError,
 * STORAGE_FULL, if its tenant has no room for them.
 */
export async function copyJournal(
  ancestor: Ancestor,
  { copies, onProgress }: DescendantInMaking,
  see: (entry: JournalEntry) => void,
): Promise<readonly JournalPart[]> {
  const parts: JournalPart[] = [];
  const archived = [...ancestor.parts];
  const last = archived.at(-1);
  const total = activationsOf(ancestor);
  let read = 0;
  const copyUpTo = async (version: number) => {
    while (archived[0] !== undefined && archived[0].to <= version) {
      const { digest, messages, copiedAt, activations } = archived[0];
      const copy = await copySegment(copies, digest);
      parts.push({ digest: copy.digest, messages, ...omitUndefined({ copiedAt }) });
      archived.shift();
      onProgress({ done: Math.min(activations, total), total });
    }
  };
  const rest = new RestOfCopy(ancestor, { parts, copies, messages: last?.messages ?? 0 });
  for await (const page of pagesOf(ancestor.journal())) {
    for (const entry of page) {
      see(entry);
      if (entry.event.type === 'activation.ready') read += 1;
    }
    await copyUpTo(versionOf(page.at(-1)) - 1);
    onProgress({ done: Math.min(read, total), total });
    const further = last === undefined ? page : page.slice(indexAfter(page, endOf(last.to)));
    await rest.add(further);
  }
  await copyUpTo(last?.to ?? 0);
  await rest.end();
  onProgress({ done: total, total });
  return parts;
}

interface RestOptions {
  /** Gets the parts. */
  readonly parts: JournalPart[];
  readonly copies: RunCopies;
  /** Number of the messages before it. */
  readonly messages: number;
}

/** What is not archived of a journal, which becomes parts of the copy. */
class RestOfCopy {
  readonly #ancestor: Ancestor;
  readonly #parts: JournalPart[];
  readonly #copies: RunCopies;
  #messages: number;
  #entries: JournalEntry[] = [];
  #bodies: { id: MessageId; body: StoredBody }[] = [];

  constructor(ancestor: Ancestor, { parts, copies, messages }: RestOptions) {
    this.#ancestor = ancestor;
    this.#parts = parts;
    this.#copies = copies;
    this.#messages = messages;
  }

  async add(entries: readonly JournalEntry[]): Promise<void> {
    for (const entry of entries) this.#entries.push(entry);
    const before = this.#messages;
    this.#messages += entries.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
    const ids = Array.from({ length: this.#messages - before }, (_, at): MessageId => `m${before + at + 1}`);
    const bodies = await this.#ancestor.bodies(ids);
    bodies.forEach((body, at) => {
      this.#bodies.push({ id: `m${before + at + 1}`, body });
    });
    if (this.#entries.length >= manyEntries || charactersIn(this.#bodies) >= manyCharacters) await this.end();
  }

  /** Writes what was added. */
  async end(): Promise<void> {
    const [entries, bodies] = [this.#entries, this.#bodies];
    if (entries.length === 0) return;
    [this.#entries, this.#bodies] = [[], []];
    const { digest } = await putSegment(this.#copies, { entries, bodies });
    this.#parts.push({ digest, messages: this.#messages });
  }
}

/** Number of activations of a run so far. */
export const activationsOf = ({ state }: Pick<Ancestor, 'state'>): number =>
  (state.get('run')?.nextActivation ?? 1) - 1;

async function* pagesOf(journal: AsyncIterable<JournalEntry>): AsyncGenerator<readonly JournalEntry[]> {
  let entries: JournalEntry[] = [];
  for await (const entry of journal) {
    entries.push(entry);
    if (entries.length < journalPage) continue;
    yield entries;
    entries = [];
  }
  yield entries;
}

const charactersIn = (bodies: readonly { readonly body: StoredBody }[]): number =>
  bodies.reduce((sum, { body }) => sum + ('blob' in body ? 0 : messageSize(body)), 0);

/** Yields the entries of a copy, page by page, each in a turn of its own. */
export async function* copiedEntries(blobs: Blobs, parts: readonly JournalPart[]): AsyncGenerator<JournalEntry> {
  for (const part of parts) {
    const entries = await (await openSegment(blobs, part)).entries();
    for (let from = 0; from < entries.length; from += journalPage) {
      await nextTurn();
      yield* entries.slice(from, from + journalPage);
    }
  }
}

/** Maximum number of parts whose messages a process keeps. */
const keptParts = 8;

/**
 * Creates a reader of the message bodies of copies; it caches the last parts, because activations need them in order.
 */
export function createCopiedBodies(blobs: Blobs) {
  const read = new LruMap<ReadonlyMap<MessageId, StoredBody>>({ limit: keptParts });
  return (parts: readonly JournalPart[], ids: readonly MessageId[]): Promise<readonly MessageBody[]> =>
    Promise.all(
      ids.map(async (id) => {
        const part = parts.find(({ messages }) => messages >= numberOf(id));
        const body = part && (await read.of(part.digest, () => readBodies(blobs, part.digest))).get(id);
        if (body === undefined) throw new Error(`the copy of a journal has no message ${id}`);
        return loadBody(blobs, body);
      }),
    );
}

async function readBodies(blobs: Blobs, digest: string): Promise<ReadonlyMap<MessageId, StoredBody>> {
  const { bodies } = await getSegment(blobs, digest);
  return new Map(bodies.map(({ id, body }) => [id, body]));
}
