import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type {
  ArchivedSegment,
  Checkpoint,
  Event,
  JournalEntry,
  JournalPart,
  MessageId,
  RestoredState,
  StateView,
} from '@millrace/core';
import { restoreCheckpoint } from '@millrace/core';
import type { ProjectionSnapshot } from '@millrace/core/projection';
import { snapshotAt } from '@millrace/core/projection';
import { blobMissing } from '../../blobs/long-bodies.ts';
import { inSlices, nextTurn } from '../../concurrency/in-slices.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { StoredBody } from '../../ports/store/port.ts';
import type { StoredContent } from '../../ports/store/stored-bytes.ts';
import { isAfter } from '../read-journal.ts';

/** Part of a journal as it is archived: whole commits, and the bodies that came with them. */
export interface Segment {
  readonly entries: readonly JournalEntry[];
  readonly bodies: readonly { readonly id: MessageId; readonly body: StoredBody }[];
}

/** Returns the size of an event in a segment: 1, and 1 for each unit that it has stored. */
export const sizeOf = (event: Event): number =>
  event.type === 'units.stored' || event.type === 'fanout.entered' ? 1 + event.units.length : 1;

/** What is known of the run at the end of a segment; a copy of a journal has nothing of it. */
interface SegmentEnd {
  /** As of the last event of the segment. */
  readonly projection?: ProjectionSnapshot;
  /** As of a version soon after it; in JSON. */
  readonly checkpoint?: string | undefined;
}

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/**
 * Stores a segment as compressed lines of JSON, `{"entry": …}` and `{"message": …, "body": …}`; returns its digest and size. The
 * first line makes each segment unique: a writer whose segment no commit names may delete it, and the removal of a run
 * deletes all of its segments. The next lines of an archived part hold the projection of the run and, mostly, a checkpoint; a copy
 * for a replay has none of them.
 */
export async function putSegment(
  blobs: Pick<Blobs, 'put'>,
  { entries, bodies, projection, checkpoint }: Segment & SegmentEnd,
): Promise<StoredContent> {
  const text = new LongText();
  text.add(JSON.stringify({ segment: randomUUID() }));
  if (projection !== undefined) text.add(`${projectionStart}${JSON.stringify(projection)}}`);
  if (checkpoint !== undefined) text.add(`${checkpointStart}${checkpoint}}`);
  await nextTurn();
  await inSlices(entries, (entry) => text.add(JSON.stringify({ entry })));
  await inSlices(bodies, ({ id, body }) => text.add(JSON.stringify({ message: id, body })));
  await nextTurn();
  const bytes = await pack(text.bytes());
  return { digest: await blobs.put(bytes), size: bytes.length };
}

/**
 * Copies a segment without reading what is in it; returns the digest and size of the copy. Compressed data may follow each other: one
 * more first line makes the copy unique, too.
 */
export async function copySegment(blobs: Pick<Blobs, 'get' | 'put'>, digest: string): Promise<StoredContent> {
  const first = await pack(`${JSON.stringify({ segment: randomUUID() })}\n`);
  const bytes = Buffer.concat([first, await packedSegment(blobs, digest)]);
  return { digest: await blobs.put(bytes), size: bytes.length };
}

/** Lines of a text that is too long to be encoded in one turn of the event loop. */
class LongText {
  readonly #encoded: Buffer[] = [];
  #lines = '';

  add(line: string): void {
    this.#lines += `${line}\n`;
    if (this.#lines.length > 64 * 1024) this.#encode();
  }

  bytes(): Buffer {
    this.#encode();
    return Buffer.concat(this.#encoded);
  }

  #encode(): void {
    this.#encoded.push(Buffer.from(this.#lines));
    this.#lines = '';
  }
}

const projectionStart = '{"projection":';
const checkpointStart = '{"checkpoint":';

const entryStart = '{"entry":';
const messageStart = '{"message":';

/** Number of characters that are parsed in one turn of the event loop: a millisecond or two of work. */
const charactersPerTurn = 128 * 1024;

/** A segment of which only what a reader wants is decoded: decoding costs more than reading. */
export interface OpenSegment {
  /** Returns all entries; they are decoded once. */
  entries(): Promise<readonly JournalEntry[]>;
  /** Returns those of these bodies that it has. */
  bodies(ids: Iterable<MessageId>): ReadonlyMap<MessageId, StoredBody>;
}

/** A stored segment. */
export type StoredSegment = Pick<JournalPart, 'digest' | 'copiedAt'>;

/** Opens a segment. Throws RequestError when its blob cannot be found from this process. */
export async function openSegment(
  blobs: Pick<Blobs, 'get'>,
  { digest, copiedAt }: StoredSegment,
): Promise<OpenSegment> {
  const text = (await unpack(await packedSegment(blobs, digest))).toString('utf8');
  let entries: Promise<readonly JournalEntry[]> | undefined;
  return {
    entries() {
      entries ??= decoded<{ readonly entry: JournalEntry }>(text, entryStart).then((lines) =>
        lines.map(({ entry }) => (copiedAt === undefined ? entry : { ...entry, at: copiedAt })),
      );
      return entries;
    },
    bodies(ids) {
      const found = new Map<MessageId, StoredBody>();
      let from = 0;
      // Messages are in the order of their numbers, each in a line of its own.
      for (const id of [...ids].sort((one, other) => numberOf(one) - numberOf(other))) {
        const start = text.indexOf(`\n${messageStart}${JSON.stringify(id)},`, from) + 1;
        if (start === 0) continue;
        from = text.indexOf('\n', start);
        found.set(id, (JSON.parse(text.slice(start, from)) as MessageLine).body); // written by `putSegment`
      }
      return found;
    },
  };
}

/** Reads a segment whole. Throws RequestError as `openSegment` does. */
export async function getSegment(blobs: Pick<Blobs, 'get'>, digest: string): Promise<Segment> {
  const text = (await unpack(await packedSegment(blobs, digest))).toString('utf8');
  const entries = await decoded<{ readonly entry: JournalEntry }>(text, entryStart);
  const messages = await decoded<MessageLine>(text, messageStart);
  return {
    entries: entries.map(({ entry }) => entry),
    bodies: messages.map(({ message, body }) => ({ id: message, body })),
  };
}

interface MessageLine {
  readonly message: MessageId;
  readonly body: StoredBody;
}

/** Decodes the lines of a segment that begin like this, which follow each other. */
async function decoded<Line>(text: string, beginning: string): Promise<readonly Line[]> {
  const lines: Line[] = [];
  let start = text.indexOf(`\n${beginning}`) + 1;
  let pause = start + charactersPerTurn;
  while (start > 0 && text.startsWith(beginning, start)) {
    const end = text.indexOf('\n', start);
    lines.push(JSON.parse(text.slice(start, end)) as Line); // written by `putSegment`, under the hash of its content
    start = end + 1;
    if (end < pause) continue;
    await nextTurn();
    pause = end + charactersPerTurn;
  }
  return lines;
}

/** Reads the projection at the end of a segment; undefined when it has none. Throws RequestError as `openSegment` does. */
export async function readProjection(
  blobs: Pick<Blobs, 'get'>,
  { digest, copiedAt }: StoredSegment,
): Promise<ProjectionSnapshot | undefined> {
  const line = await readLine<{ readonly projection: ProjectionSnapshot }>(blobs, digest, projectionStart);
  return line === undefined || copiedAt === undefined ? line?.projection : snapshotAt(line.projection, copiedAt);
}

/** Reads the state from the checkpoint in a segment; undefined when it has none. Throws RequestError as `openSegment` does. */
export async function readCheckpoint(
  blobs: Pick<Blobs, 'get'>,
  { digest, copiedAt }: StoredSegment,
): Promise<RestoredState | undefined> {
  const line = await readLine<{ readonly checkpoint: Checkpoint }>(blobs, digest, checkpointStart);
  return line && restoreCheckpoint(line.checkpoint, copiedAt);
}

/** Reads the line of a segment that begins like this, before its entries. */
async function readLine<T>(blobs: Pick<Blobs, 'get'>, digest: string, beginning: string): Promise<T | undefined> {
  const head = await headOf(await packedSegment(blobs, digest));
  const start = head.indexOf(`\n${beginning}`) + 1;
  if (start === 0) return undefined;
  return JSON.parse(head.toString('utf8', start, head.indexOf('\n', start))) as T; // written by `putSegment`
}

/** Number of compressed bytes in which the beginning of most segments is complete. */
const headBytes = 16 * 1024;

/** Returns the lines of a segment up to its entries at least. */
async function headOf(packed: Uint8Array): Promise<Buffer> {
  for (let length = headBytes; ; length *= 8) {
    // The end of a part is no error: what it has is unpacked.
    const head = await unpack(packed.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH });
    if (length >= packed.length || head.includes(`\n${entryStart}`)) return head;
  }
}

async function packedSegment(blobs: Pick<Blobs, 'get'>, digest: string): Promise<Uint8Array> {
  const packed = await blobs.get(digest);
  if (packed === undefined) throw blobMissing(digest, 'A part of the journal');
  return packed;
}

/** Opens a segment, or returns one that is open. */
export type SegmentReader = (segment: StoredSegment) => Promise<OpenSegment>;

/** Returns the entries after an id from the segment that contains them, at most `limit`; undefined when none does. */
export async function readArchivedJournal(
  read: SegmentReader,
  segments: readonly ArchivedSegment[],
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly JournalEntry[] | undefined> {
  // The id may be the last one of a segment: then the next segment continues.
  for (const segment of segments.filter(({ to }) => isAfter(endOf(to), after))) {
    const entries = await (await read(segment)).entries();
    const first = indexAfter(entries, after);
    if (first < entries.length) return entries.slice(first, first + limit);
  }
  return undefined;
}

/** Returns the index of the first entry after an id, by halving: journals are read page by page. */
export function indexAfter(entries: readonly JournalEntry[], id: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isAfter(entries[middle]?.id ?? id, id)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Position in the journal after all events of a version: they are numbered from 0, and no version has so many. */
export const endOf = (version: number): string => `${version}-${Number.MAX_SAFE_INTEGER}`;

/** Returns the bodies of these messages as far as they are archived. */
export async function readArchivedBodies(
  read: SegmentReader,
  segments: readonly ArchivedSegment[],
  ids: readonly MessageId[],
): Promise<ReadonlyMap<MessageId, StoredBody>> {
  const wanted = new Map<StoredSegment, MessageId[]>();
  for (const id of ids) {
    const segment = segments.find(({ messages }) => messages >= numberOf(id));
    if (segment === undefined) continue;
    const some = wanted.get(segment) ?? [];
    some.push(id);
    wanted.set(segment, some);
  }
  const found = new Map<MessageId, StoredBody>();
  for (const [segment, some] of wanted)
    for (const [id, body] of (await read(segment)).bodies(some)) found.set(id, body);
  return found;
}

/** Returns the number of a message among those of its run, from 1. */
export const numberOf = (id: MessageId): number => Number(id.slice(1));

/** Returns the digests of the blobs that are a run's alone: parts of its journal, and of the one that it replays. */
export function blobsOfRun(state: StateView): readonly string[] {
  const own: readonly JournalPart[] = state.list('archive/journal');
  const replayed = state.get('origin')?.replay?.journal ?? [];
  return [...own, ...replayed].map(({ digest }) => digest);
}
