import type { JournalEntry, MessageId, RunId } from '@millrace/core';
import { beginningOf, beginningOfMessage, beginningOfResult, blobOfHead, headBytes } from '../journal/message-head.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';
import type { TextSource } from './text-source.ts';
import { textSourceOf } from './text-source.ts';

/** Stores that messages are read from. */
export interface MessageSource {
  readonly store: Pick<Store, 'heads'>;
  readonly blobs: Pick<Blobs, 'has' | 'read'>;
}

/**
 * Reads the beginnings of what entries say, in their order; undefined where one says nothing, or nothing that is at the
 * beginning of its message. One request for all of them, and one for each message that is a blob.
 */
export async function textsOf(
  source: MessageSource,
  run: RunId,
  entries: readonly JournalEntry[],
): Promise<readonly (string | undefined)[]> {
  const sources = entries.map(({ event }) => textSourceOf(event));
  const ids = [...new Set(sources.flatMap((one) => idIn(one) ?? []))];
  const heads = await headsOf(source, run, ids);
  return sources.map((one) => {
    if (one === undefined) return undefined;
    if ('text' in one) return beginningOf(one.text);
    if ('result' in one) return textIn(heads.get(one.result), beginningOfResult);
    return textIn(heads.get(one.message), beginningOfMessage);
  });
}

const idIn = (source: TextSource | undefined): MessageId | undefined => {
  if (source === undefined || 'text' in source) return undefined;
  return 'result' in source ? source.result : source.message;
};

const textIn = (head: string | undefined, read: (head: string) => string | undefined): string | undefined =>
  head === undefined ? undefined : read(head);

async function headsOf(
  { store, blobs }: MessageSource,
  run: RunId,
  ids: readonly MessageId[],
): Promise<ReadonlyMap<MessageId, string>> {
  if (ids.length === 0) return new Map();
  const heads = await store.heads(run, ids);
  const read = await Promise.all(
    heads.map(async (head) => {
      const blob = head === undefined ? undefined : blobOfHead(head);
      return blob === undefined ? head : headOfBlob(blobs, blob);
    }),
  );
  return new Map(ids.flatMap((id, at) => (read[at] === undefined ? [] : [[id, read[at]]])));
}

/** Returns the head of a long message; undefined when this process cannot find its blob. */
async function headOfBlob(blobs: MessageSource['blobs'], digest: string): Promise<string | undefined> {
  if (!(await blobs.has(digest))) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of blobs.read(digest, 0, headBytes)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
