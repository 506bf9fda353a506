import type { ArchivedSegment, Origin, RunId } from '@millrace/core';
import type { Redis } from 'ioredis';
import { textsOfBody, textsOfPart } from '../../../journal/archive/part-texts.ts';
import type { Blobs } from '../../../ports/blobs.ts';
import type { Keys } from '../location/keys.ts';
import { listOf } from '../location/keys.ts';

/** Location of a run and its contents. */
export interface RunStorage {
  readonly connection: Redis;
  readonly keys: Keys;
  /** Absent: nothing is kept apart from the runs. */
  readonly blobs: Blobs | undefined;
}

const atOnce = 500;

/** The runs of all tenants, each at least once. */
export async function* allRuns(connection: Redis, keys: Keys): AsyncGenerator<RunId> {
  for await (const found of connection.hscanStream(keys.summaries, { count: atOnce }) as AsyncIterable<string[]>) {
    for (let at = 0; at < found.length; at += 2) yield found[at] ?? '';
  }
}

/**
 * Returns everything that a run has written, as texts: its messages, its journal, and the parts of both that are blobs.
 * Entries that are archived meanwhile move from the first two to the last, so that is read last.
 */
export async function* textsOfRun({ connection, keys, blobs }: RunStorage, run: RunId): AsyncGenerator<string> {
  const ofRun = keys.run(run);
  for await (const found of connection.hscanStream(ofRun.messages, { count: atOnce }) as AsyncIterable<string[]>) {
    for (let at = 1; at < found.length; at += 2) yield* textsOfBody(blobs, found[at] ?? '');
  }
  for (let from = '-'; ; ) {
    const entries = await connection.xrange(ofRun.journal, from, '+', 'COUNT', atOnce);
    for (const [, fields] of entries) yield fields.join();
    const last = entries.at(-1)?.[0];
    if (last === undefined || entries.length < atOnce) break;
    from = `(${last}`;
  }
  const origin = await connection.hget(ofRun.state, 'origin');
  const replayed = origin === null ? undefined : (JSON.parse(origin) as Origin).replay?.journal; // written by commits
  const stored = await connection.lrange(listOf(ofRun, 'archive/journal'), 0, -1);
  const archived = stored.map((json) => JSON.parse(json) as ArchivedSegment); // likewise
  for (const part of [...archived, ...(replayed ?? [])]) yield* textsOfPart(blobs, part);
}
