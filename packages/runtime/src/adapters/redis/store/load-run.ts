import type { ListKey, RecordKey, RunId } from '@millrace/core';
import { State } from '@millrace/core';
import type { Redis } from 'ioredis';
import { inSlices } from '../../../concurrency/in-slices.ts';
import { assertFormat } from '../../../ports/store/errors.ts';
import type { LoadedRun, RunEnd } from '../../../ports/store/port.ts';
import { endOfRecord } from '../../../ports/store/port.ts';
import type { Keys, RunKeys } from '../location/keys.ts';
import { isMessageList, listOf } from '../location/keys.ts';
import type { StreamEntry } from './commit/run-commit.ts';
import type { RunField } from './commit/stored-records.ts';
import { isRunField, recordFromText, runFromFields } from './commit/stored-records.ts';
import { commitOf } from './journal/journal-stream.ts';

/** Lists outside the state hash, and their Redis keys. */
type SeparateLists = Map<ListKey, string>;

/** Fields of the state hash that are no records. */
const heading: ReadonlySet<string> = new Set(['version', 'nonce', 'format']);

interface Snapshot extends Pick<LoadedRun, 'version' | 'nonce' | 'at'> {
  readonly format: string | null | undefined;
  /** The state hash: each field and its value, in turn. */
  readonly hash: readonly Buffer[];
  /** Contents of the lists, by Redis key. */
  readonly lists: ReadonlyMap<string, readonly Buffer[]>;
}

/**
 * Reads the whole state of a run as of one commit; undefined when there is none. Throws ForeignFormat for a run in
 * another format. The state hash lists the other keys, so the same transaction is repeated until it covers them all: that
 * takes two rounds, and more only while others commit to the run at places it never used before, of which a graph has a
 * limited number. The state of a large fan-out has hundreds of thousands of values, so they become texts and records in slices.
 */
export async function loadRun(
  connection: Redis,
  keys: Pick<Keys, 'format' | 'run'>,
  id: RunId,
): Promise<LoadedRun | undefined> {
  const run = keys.run(id);
  const apart: SeparateLists = new Map();
  for (;;) {
    const snapshot = await readAtOnce(connection, run, apart);
    if (snapshot.hash.length === 0) return undefined;
    assertFormat(id, { stored: snapshot.format, known: keys.format });
    if (!(await learnPlaces(run, snapshot, apart))) return assemble(snapshot, apart);
  }
}

/** Returns whether and when a run has ended. A run in another format counts as live: its builds know more of it. */
export async function readEnd(connection: Redis, keys: Pick<Keys, 'format' | 'run'>, id: RunId): Promise<RunEnd> {
  const [run, counts, format] = await connection.hmget(keys.run(id).state, 'run', 'counts', 'format');
  if (run == null) return { type: 'absent' };
  if (format !== String(keys.format)) return { type: 'live' };
  const record = runFromFields({ run, counts });
  return record === undefined ? { type: 'absent' } : endOfRecord(record);
}

/** Adds the keys that the state hash lists; returns whether there were new ones. */
async function learnPlaces(run: RunKeys, { hash }: Snapshot, apart: SeparateLists): Promise<boolean> {
  const known = apart.size;
  await inSlices(fieldsOf(hash), ([field, value]) => {
    // Only lists leave an empty field.
    if (value.length > 0) return;
    const list = field.toString() as ListKey;
    apart.set(list, listOf(run, list));
  });
  return apart.size > known;
}

async function readAtOnce(connection: Redis, run: RunKeys, apart: SeparateLists): Promise<Snapshot> {
  const lists = [...apart.values()];
  const multi = connection
    .multi()
    // Of the reply to these commands the client makes neither an object nor texts, which would take a turn of its own.
    .callBuffer('HGETALL', run.state)
    .hmget(run.state, 'version', 'nonce', 'format')
    .xrevrange(run.journal, '+', '-', 'COUNT', 1);
  for (const list of lists) multi.lrangeBuffer(list, 0, -1);
  const [hash, heads, last, ...replies] = ((await multi.exec()) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  // HGETALL and LRANGE answer with lists of bytes, HMGET with one of strings and nulls, and XREVRANGE with entries.
  const [version, nonce, format] = heads as readonly (string | null)[];
  const [commit] = last as StreamEntry[];
  return {
    version: Number(version),
    nonce: nonce ?? '',
    format,
    hash: hash as Buffer[],
    at: commit === undefined ? 0 : commitOf(commit).at,
    lists: new Map(lists.map((list, index) => [list, replies[index] as Buffer[]])),
  };
}

/** Yields the fields of a hash and their values. */
function* fieldsOf(hash: Snapshot['hash']): Generator<readonly [Buffer, Buffer]> {
  for (let at = 0; at < hash.length; at += 2) {
    const [field, value] = [hash[at], hash[at + 1]];
    if (field !== undefined && value !== undefined) yield [field, value];
  }
}

async function assemble({ hash, lists, version, nonce, at }: Snapshot, apart: SeparateLists): Promise<LoadedRun> {
  const state = new State();
  /** The record of the run itself is in several fields. */
  const own: { [Field in RunField]?: string } = {};
  await inSlices(fieldsOf(hash), (bytes) => {
    const [field, value] = [bytes[0].toString(), bytes[1].toString()];
    if (isRunField(field)) own[field] = value;
    else if (heading.has(field) || value === '') return;
    else if (isMessageList(field)) state.lists.set(field, [JSON.parse(value)]);
    // The other fields are written under the keys of records.
    else state.records.set(field as RecordKey, recordFromText(field as RecordKey, value));
  });
  const run = runFromFields(own);
  if (run !== undefined) state.records.set('run', run);
  await inSlices(entriesOf(apart, lists), ([key, entry]) => {
    const entries = state.lists.get(key) ?? [];
    entries.push(JSON.parse(entry.toString()));
    if (entries.length === 1) state.lists.set(key, entries);
  });
  return { state, version, nonce, at };
}

/** Yields the entries of lists that have keys of their own, with the keys that they have in the state. */
function* entriesOf(apart: SeparateLists, lists: Snapshot['lists']): Generator<readonly [ListKey, Buffer]> {
  for (const [key, list] of apart) for (const entry of lists.get(list) ?? []) yield [key, entry];
}
