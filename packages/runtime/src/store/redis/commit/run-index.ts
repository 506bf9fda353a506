import type { RunId } from '@millrace/core';
import { defaultTenant, tenantOf } from '@millrace/core';
import type { Redis } from 'ioredis';
import { readFields } from '../../../redis/read-fields.ts';
import type { Keys } from '../../keys.ts';
import type { Commit, RunPage, RunPlace, RunQuery, RunSummary } from '../../port.ts';
import { isEnded } from '../../retention.ts';
import { isBehind, isWanted, placeOf } from '../../run-query.ts';

/*
 * Lists of runs. Each tenant has sorted sets of its runs by their start: one of all, one for each status, workflow and
 * tag, and one of those with open questions. A query reads the shortest set that contains all matching runs, in the
 * order of the list, and reads at most a fixed number of runs before it returns the matches and a cursor.
 */

/** Runs looked at for one page, at most. */
const walkLimit = 1000;

/** One command of a commit that keeps the indices. */
type IndexCommand = readonly [command: 'ZADD' | 'ZREM' | 'HSET', key: string, values: readonly string[]];

/** Returns the changes of a commit to the lists of runs. */
export function indexCommands(
  keys: Keys,
  { summary, formerly, asking, at }: Pick<Commit, 'summary' | 'formerly' | 'asking' | 'at'>,
): IndexCommand[] {
  if (summary === undefined) return [];
  const { run, status } = summary;
  const lists = keys.lists(tenantOf(run));
  const entry = [String(summary.startedAt), run];
  const written: IndexCommand[] = [['HSET', keys.summaries, [run, JSON.stringify(summary)]]];
  if (asking === 'began') written.push(['ZADD', lists.asking, entry]);
  if (asking === 'ended') written.push(['ZREM', lists.asking, [run]]);
  if (formerly === status) return asking === undefined ? [] : written;
  if (isEnded(status)) written.push(['ZADD', keys.ended(status), [String(at), run]]);
  if (formerly === undefined) {
    return [...listsOf(keys, summary).map((key): IndexCommand => ['ZADD', key, entry]), ...written];
  }
  if (isEnded(formerly)) written.push(['ZREM', keys.ended(formerly), [run]]);
  return [['ZREM', lists.status(formerly), [run]], ['ZADD', lists.status(status), entry], ...written];
}

/** Returns the sorted sets of its tenant that contain a run. */
export function listsOf(keys: Keys, { run, status, workflow, tags = [] }: RunSummary): readonly string[] {
  const lists = keys.lists(tenantOf(run));
  return [lists.all, lists.status(status), lists.workflow(workflow), ...tags.map(lists.tag)];
}

/** A page of a list of runs. */
export async function readRuns(connection: Redis, keys: Keys, query: RunQuery): Promise<RunPage> {
  if (query.limit <= 0) return { runs: [] };
  const index = await shortest(connection, indicesOf(keys, query));
  const found: RunSummary[] = [];
  let walked = 0;
  for await (const places of walk(connection, index, query)) {
    const summaries = await summariesOf(connection, keys, places);
    for (const summary of summaries) if (isWanted(summary, query)) found.push(summary);
    if (found.length > query.limit) return page(found.slice(0, query.limit), found[query.limit - 1]);
    walked += places.length;
    if (walked >= walkLimit) return page(found, places.at(-1));
  }
  return page(found, undefined);
}

const page = (runs: readonly RunSummary[], next: RunPlace | undefined): RunPage =>
  next === undefined ? { runs } : { runs, next: placeOf(next) };

/** The sets that hold all runs of a query. */
function indicesOf(keys: Keys, { tenant = defaultTenant, status, workflow, tag, asks }: RunQuery): readonly string[] {
  const lists = keys.lists(tenant);
  const named = [
    ...(status === undefined ? [] : [lists.status(status)]),
    ...(workflow === undefined ? [] : [lists.workflow(workflow)]),
    ...(tag === undefined ? [] : [lists.tag(tag)]),
    ...(asks === undefined ? [] : [lists.asking]),
  ];
  return named.length === 0 ? [lists.all] : named;
}

async function shortest(connection: Redis, indices: readonly string[]): Promise<string> {
  const [first = ''] = indices;
  if (indices.length === 1) return first;
  const sizes = await Promise.all(indices.map((index) => connection.zcard(index)));
  return indices[sizes.indexOf(Math.min(...sizes))] ?? first;
}

/** The runs of a set in the order of the list, some at a time. */
async function* walk(connection: Redis, index: string, query: RunQuery): AsyncGenerator<readonly RunPlace[]> {
  const { since = '-inf', until, limit } = query;
  const count = Math.min(Math.max(limit + 1, 100), walkLimit);
  let after = query.after;
  // Those that started within the millisecond of the last one are read again.
  for (let offset = 0; ; ) {
    const newest = after?.startedAt ?? (until === undefined ? '+inf' : `(${until}`);
    const reply = await connection.zrevrangebyscore(index, newest, since, 'WITHSCORES', 'LIMIT', offset, count);
    const read = placesIn(reply);
    const last = after;
    const places = last === undefined ? read : read.filter((place) => isBehind(place, last));
    if (places.length > 0) yield places;
    if (read.length < count) return;
    offset = places.length > 0 ? 0 : offset + count;
    after = places.at(-1) ?? after;
  }
}

/** Members and scores in turn. */
function placesIn(reply: readonly string[]): RunPlace[] {
  const places: RunPlace[] = [];
  for (let at = 0; at + 1 < reply.length; at += 2) {
    const run: RunId = reply[at] ?? '';
    places.push({ run, startedAt: Number(reply[at + 1]) });
  }
  return places;
}

async function summariesOf(connection: Redis, keys: Keys, places: readonly RunPlace[]): Promise<RunSummary[]> {
  if (places.length === 0) return [];
  const stored = await readFields(
    connection,
    keys.summaries,
    places.map(({ run }) => run),
  );
  return stored.flatMap((json) => (json === null ? [] : [JSON.parse(json) as RunSummary])); // written by a commit
}
