import type { JournalEntry, JournalPart, MessageBody, MessageId, RunId } from '@millrace/core';
import { messageSize, NodeError, RequestError } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { LruMap } from '../blobs/read-through-cache.ts';
import { blobsForRun } from '../blobs/run-contents.ts';
import { getSegment, numberOf, openSegment, putSegment } from '../journal/archive/segment.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { StoredBody } from '../ports/store/port.ts';
import type { Ancestor } from './find-ancestor.ts';
import type { DescendantContext } from './fork-command.ts';

/** Number of entries that are read with their messages at a time. */
const page = 500;
/** Number of entries from which on a part is full. */
const manyEntries = 2000;
/** Number of characters of its messages from which on it is full. */
const manyCharacters = 4 * 1024 * 1024;

/**
 * Copies the journal of a run, with its messages, into blobs that belong to the new run, which will name them. Throws RequestError,
 * STORAGE_FULL, if its tenant has no room for them.
 */
export async function copyJournal(
  { store, blobs, cache }: DescendantContext,
  run: RunId,
  ancestor: Ancestor,
): Promise<readonly JournalPart[]> {
  const counted = blobsForRun({ store, blobs, limits: cache.limits }, run);
  const parts: JournalPart[] = [];
  let entries: JournalEntry[] = [];
  let bodies: { id: MessageId; body: StoredBody }[] = [];
  let messages = 0;
  const put = async () => {
    if (entries.length > 0) parts.push({ digest: (await putSegment(counted, { entries, bodies })).digest, messages });
    entries = [];
    bodies = [];
  };
  try {
    for await (const read of pagesOf(ancestor.journal())) {
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
  } catch (error) {
    await dropJournal(blobs, parts);
    if ((await store.endOf(run)).type === 'absent') await store.stored.forget(run);
    throw error instanceof NodeError ? new RequestError(error.code, error.message) : error;
  }
  return parts;
}

async function* pagesOf(journal: AsyncIterable<JournalEntry>): AsyncGenerator<readonly JournalEntry[]> {
  let entries: JournalEntry[] = [];
  for await (const entry of journal) {
    entries.push(entry);
    if (entries.length < page) continue;
    yield entries;
    entries = [];
  }
  yield entries;
}

const charactersIn = (bodies: readonly { readonly body: StoredBody }[]): number =>
  bodies.reduce((sum, { body }) => sum + ('blob' in body ? 0 : messageSize(body)), 0);

/** Deletes a copy that no run names. */
export async function dropJournal(blobs: Blobs, parts: readonly JournalPart[]): Promise<void> {
  await Promise.all(parts.map(({ digest }) => blobs.delete(digest)));
}

/** Yields the entries of a copy. */
export async function* copiedEntries(blobs: Blobs, parts: readonly JournalPart[]): AsyncGenerator<JournalEntry> {
  for (const { digest } of parts) yield* await (await openSegment(blobs, digest)).entries();
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
