import type { JournalEntry, JournalPart, MessageBody, MessageId } from '@millrace/core';
import { messageSize, omitUndefined } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { LruMap } from '../blobs/read-through-cache.ts';
import { nextTurn } from '../concurrency/in-slices.ts';
import { copySegment, endOf, getSegment, numberOf, openSegment, putSegment } from '../journal/archive/segment.ts';
import { journalPage } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { StoredBody } from '../ports/store/port.ts';
import type { DescendantInMaking } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';

/** Number of entries from which on a part is full. */
const manyEntries = 2000;
/** Number of characters of its messages from which on it is full. */
const manyCharacters = 4 * 1024 * 1024;

/**
 * Copies the journal of a run, with its messages, into blobs that belong to the new run, which will name them: archived parts as they
 * are, the rest in parts of its own. Throws NodeError, STORAGE_FULL, if its tenant has no room for them.
 */
export async function copyJournal(
  ancestor: Ancestor,
  { copies, onProgress }: DescendantInMaking,
): Promise<readonly JournalPart[]> {
  const parts: JournalPart[] = [];
  const archived = [...ancestor.parts];
  let entries: JournalEntry[] = [];
  let bodies: { id: MessageId; body: StoredBody }[] = [];
  let messages = archived.at(-1)?.messages ?? 0;
  const put = async () => {
    if (entries.length > 0) parts.push({ digest: (await putSegment(copies, { entries, bodies })).digest, messages });
    entries = [];
    bodies = [];
  };
  const total = activationsOf(ancestor);
  for (const { digest, messages: last, copiedAt, activations } of archived) {
    const copy = await copySegment(copies, digest);
    parts.push({ digest: copy.digest, messages: last, ...omitUndefined({ copiedAt }) });
    onProgress({ done: activations, total });
  }
  const last = archived.at(-1);
  for await (const read of pagesOf(ancestor.journal(last && endOf(last.to)))) {
    for (const entry of read) entries.push(entry);
    const before = messages;
    messages += read.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
    const ids = Array.from({ length: messages - before }, (_, at): MessageId => `m${before + at + 1}`);
    const found = await ancestor.bodies(ids);
    found.forEach((body, at) => {
      bodies.push({ id: `m${before + at + 1}`, body });
    });
    if (entries.length >= manyEntries || charactersIn(bodies) >= manyCharacters) await put();
  }
  await put();
  onProgress({ done: total, total });
  return parts;
}

/** Number of activations of a run so far. */
const activationsOf = ({ state }: Pick<Ancestor, 'state'>): number => (state.get('run')?.nextActivation ?? 1) - 1;

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
