import type { JournalPart } from '@millrace/core';
import { loadBody } from '../../blobs/long-bodies.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { StoredBody } from '../../ports/store/port.ts';
import { getSegment } from './segment.ts';

/** Returns everything that is written in a part of a journal, as texts, with the name of its blob. */
export async function* textsOfPart(blobs: Blobs | undefined, { digest }: JournalPart): AsyncGenerator<string> {
  yield digest;
  if (blobs === undefined) return;
  const { entries, bodies } = await getSegment(blobs, digest);
  yield JSON.stringify(entries);
  for (const { body } of bodies) yield* textsOfBody(blobs, JSON.stringify(body));
}

/** Returns a stored message as texts: one that is a blob itself names others in there. */
export async function* textsOfBody(blobs: Blobs | undefined, json: string): AsyncGenerator<string> {
  yield json;
  const body = JSON.parse(json) as StoredBody; // written by commits
  if (blobs !== undefined && 'blob' in body) yield JSON.stringify(await loadBody(blobs, body));
}
