import type { ArchivedSegment, JournalEntry, MessageId } from '@millrace/core';
import type { StoredBody } from '../../ports/store/port.ts';
import { isAfter } from '../entry-id.ts';
import type { Segment } from './segment.ts';

/** Returns a segment by its digest. */
export type SegmentReader = (digest: string) => Promise<Segment>;

/** Returns the entries after an id from the segment that contains them, at most `limit`; undefined when none does. */
export async function readArchivedJournal(
  read: SegmentReader,
  segments: readonly ArchivedSegment[],
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly JournalEntry[] | undefined> {
  // The id may be the last one of a segment: then the next segment continues.
  for (const { digest } of segments.filter(({ to }) => isAfter(endOf(to), after))) {
    const { entries } = await read(digest);
    const found = entries.filter(({ id }) => isAfter(id, after)).slice(0, limit);
    if (found.length > 0) return found;
  }
  return undefined;
}

/** Position in the journal after all events of a version: they are numbered from 0, and no version has so many. */
export const endOf = (version: number): string => `${version}-${Number.MAX_SAFE_INTEGER}`;

/** Returns the bodies of these messages as far as they are archived. */
export async function readArchivedBodies(
  read: SegmentReader,
  segments: readonly ArchivedSegment[],
  ids: readonly MessageId[],
): Promise<ReadonlyMap<MessageId, StoredBody>> {
  const wanted = new Set(ids);
  const digests = new Set(ids.flatMap((id) => segments.find(({ messages }) => messages >= numberOf(id))?.digest ?? []));
  const found = new Map<MessageId, StoredBody>();
  for (const digest of digests) {
    const { bodies } = await read(digest);
    for (const { id, body } of bodies) if (wanted.has(id)) found.set(id, body);
  }
  return found;
}

/** Returns the number of a message among those of its run, from 1. */
export const numberOf = (id: MessageId): number => Number(id.slice(1));
