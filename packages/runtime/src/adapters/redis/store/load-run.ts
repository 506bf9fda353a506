import type { ListKey, RecordKey, RunId } from '@millrace/core';
import { State } from '@millrace/core';
import type { Redis } from 'ioredis';
import { assertFormat } from '../../../ports/store/errors.ts';
import type { LoadedRun, RunEnd } from '../../../ports/store/port.ts';
import { endOfRecord } from '../../../ports/store/port.ts';
import type { Keys, RunKeys } from '../location/keys.ts';
import { isMessageList, listOf } from '../location/keys.ts';
import type { StreamEntry } from './commit/run-commit.ts';
import { countsField, runFromFields } from './commit/state-commands.ts';
import { commitOf } from './journal/journal-stream.ts';

/** Lists outside the state hash, and their Redis keys. */
type SeparateLists = Map<ListKey, string>;

/** Fields of the state hash that are no records. */
const heading: ReadonlySet<string> = new Set(['version', 'nonce', 'format', countsField]);

interface Snapshot {
  /** Time of the last commit. */
  readonly at: number;
  readonly fields: ReadonlyMap<string, string>;
  /** Contents of the lists, by Redis key. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the whole state of a run as of one commit; undefined when there is none. Throws ForeignFormat for a run in
 * another format. The state hash lists the other keys, so the same transaction is repeated until it covers them all: that
 * takes two rounds, and more only while others commit to the run at places it never used before, of which a graph has a
 * limited number.
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
    if (snapshot.fields.size === 0) return undefined;
    assertFormat(id, { stored: snapshot.fields.get('format'), known: keys.format });
    if (!learnPlaces(run, snapshot, apart)) return assemble(snapshot, apart);
  }
}

/** Returns whether and when a run has ended. A run in another format counts as live: its builds know more of it. */
export async function readEnd(connection: Redis, keys: Pick<Keys, 'format' | 'run'>, id: RunId): Promise<RunEnd> {
  const [run, counts, format] = await connection.hmget(keys.run(id).state, 'run', countsField, 'format');
  if (run == null || counts == null) return { type: 'absent' };
  return format === String(keys.format) ? endOfRecord(runFromFields(run, counts)) : { type: 'live' };
}

/** Adds the keys that the state hash lists; returns whether there were new ones. */
function learnPlaces(run: RunKeys, { fields }: Snapshot, apart: SeparateLists): boolean {
  const known = apart.size;
  for (const [key, value] of fields) {
    // Only lists leave an empty field.
    if (value === '') apart.set(key as ListKey, listOf(run, key as ListKey));
  }
  return apart.size > known;
}

async function readAtOnce(connection: Redis, run: RunKeys, apart: SeparateLists): Promise<Snapshot> {
  const lists = [...apart.values()];
  const multi = connection.multi().hgetall(run.state).xrevrange(run.journal, '+', '-', 'COUNT', 1);
  for (const list of lists) multi.lrange(list, 0, -1);
  const [state, last, ...replies] = ((await multi.exec()) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  // HGETALL answers with an object of strings, XREVRANGE with entries and LRANGE with an array of strings.
  const [commit] = last as StreamEntry[];
  return {
    fields: new Map(Object.entries(state as Record<string, string>)),
    at: commit === undefined ? 0 : commitOf(commit).at,
    lists: new Map(lists.map((list, index) => [list, replies[index] as string[]])),
  };
}

/** Returns the records and lists that are in the state hash itself. */
function stateOf(fields: Snapshot['fields']): State {
  const state = new State();
  for (const [field, value] of fields) {
    if (heading.has(field) || value === '') continue;
    if (isMessageList(field)) state.lists.set(field, [JSON.parse(value)]);
    // The other fields are written under the keys of records.
    else state.records.set(field as RecordKey, JSON.parse(value));
  }
  const [run, counts] = [fields.get('run'), fields.get(countsField)];
  if (run !== undefined && counts !== undefined) state.records.set('run', runFromFields(run, counts));
  return state;
}

function assemble({ fields, at, lists }: Snapshot, apart: SeparateLists): LoadedRun {
  const state = stateOf(fields);
  for (const [key, list] of apart) {
    const entries = lists.get(list) ?? [];
    if (entries.length > 0)
      state.lists.set(
        key,
        entries.map((entry): unknown => JSON.parse(entry)),
      );
  }
  return { state, version: Number(fields.get('version')), nonce: fields.get('nonce') ?? '', at };
}
