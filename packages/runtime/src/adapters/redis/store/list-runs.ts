import type { RunId } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { RunCursor, RunPage, RunQuery, RunSummary } from '../../../ports/store/port.ts';
import type { isBehind } from '../../../ports/store/run-query.ts';
import { comesAfter, cursorOf, isWanted, statusesOf } from '../../../ports/store/run-query.ts';
import { readFields } from '../commands/read-fields.ts';
import type { Keys } from '../location/keys.ts';

/*
 * A query walks the shortest of the sets that contain all of its runs, in the order of the list, and reads no more than a
 * fixed number of runs before it returns what it has found and where to continue. Several statuses are several sets, which
 * are merged.
 */

/** Maximum number of runs that are read for one page. */
const walkLimit = 1000;

/** Returns a page of a list of runs. */
export async function readRuns(connection: Redis, keys: Keys, query: RunQuery): Promise<RunPage> {
  if (query.limit <= 0) return { runs: [], looked: 0 };
  const found: RunSummary[] = [];
  let looked = 0;
  for await (const cursors of walkIndices(connection, await shortest(connection, keys, query), query)) {
    const summaries = await summariesOf(connection, keys, cursors);
    looked += cursors.length;
    for (const summary of summaries) if (isWanted(summary, query)) found.push(summary);
    if (found.length > query.limit) return { ...page(found.slice(0, query.limit), found[query.limit - 1]), looked };
    if (looked >= walkLimit) return { ...page(found, cursors.at(-1)), looked };
  }
  return { ...page(found, undefined), looked };
}

const page = (runs: readonly RunSummary[], next: RunCursor | undefined): Omit<RunPage, 'looked'> =>
  next === undefined ? { runs } : { runs, next: cursorOf(next) };

/** Returns the choices of sets that together contain all runs of a query. */
function indicesOf(
  keys: Keys,
  { tenant = defaultTenant, workflow, tag, asks, ...query }: Omit<RunQuery, 'limit'>,
): readonly (readonly string[])[] {
  const lists = keys.lists(tenant);
  const statuses = statusesOf(query);
  const named = [
    ...(statuses === undefined ? [] : [statuses.map(lists.status)]),
    ...(workflow === undefined ? [] : [[lists.workflow(workflow)]]),
    ...(tag === undefined ? [] : [[lists.tag(tag)]]),
    ...(asks === undefined ? [] : [[lists.asking]]),
  ];
  return named.length === 0 ? [[lists.all]] : named;
}

/** Returns the sets of a query with the fewest runs. */
export async function shortest(
  connection: Redis,
  keys: Keys,
  query: Omit<RunQuery, 'limit'>,
): Promise<readonly string[]> {
  const choices = indicesOf(keys, query);
  const [first = []] = choices;
  if (choices.length === 1) return first;
  const sizeOf = async (indices: readonly string[]): Promise<number> =>
    (await Promise.all(indices.map((index) => connection.zcard(index)))).reduce((sum, size) => sum + size, 0);
  const sizes = await Promise.all(choices.map(sizeOf));
  return choices[sizes.indexOf(Math.min(...sizes))] ?? first;
}

/** Returns the runs of sets in the order of the list, some at a time. */
export async function* walkIndices(
  connection: Redis,
  indices: readonly string[],
  query: RunQuery,
): AsyncGenerator<readonly RunCursor[]> {
  const [first = ''] = indices;
  if (indices.length === 1) yield* walk(connection, first, query);
  else
    yield* merged(
      indices.map((index) => walk(connection, index, query)),
      comesAfter(query),
    );
}

/** Merges lists in the same order. A run that moves to another list in the meantime is returned once. */
async function* merged(
  walks: readonly AsyncGenerator<readonly RunCursor[]>[],
  isAfter: typeof isBehind,
): AsyncGenerator<readonly RunCursor[]> {
  const next = async (walking: AsyncGenerator<readonly RunCursor[]>) => {
    const { value = [] } = await walking.next();
    return { walking, cursors: value, at: 0 };
  };
  const isOpen = ({ cursors, at }: { cursors: readonly RunCursor[]; at: number }) => at < cursors.length;
  let open = (await Promise.all(walks.map(next))).filter(isOpen);
  let last: RunCursor | undefined;
  while (open.length > 0) {
    const batch: RunCursor[] = [];
    while (open.every(isOpen)) {
      const first = open.reduce((a, b) => (isAfter(headOf(a), headOf(b)) ? b : a));
      const cursor = headOf(first);
      first.at++;
      if (cursor.run === last?.run) continue;
      batch.push(cursor);
      last = cursor;
    }
    if (batch.length > 0) yield batch;
    open = (await Promise.all(open.map((one) => (isOpen(one) ? one : next(one.walking))))).filter(isOpen);
  }
}

/** Returns the next cursor of a list that is not used up. */
const headOf = ({ cursors, at }: { readonly cursors: readonly RunCursor[]; readonly at: number }): RunCursor =>
  cursors[at] ?? { run: '', startedAt: 0 };

/** The runs of a set in the order of the list, some at a time. */
async function* walk(connection: Redis, index: string, query: RunQuery): AsyncGenerator<readonly RunCursor[]> {
  const count = Math.min(Math.max(query.limit + 1, 100), walkLimit);
  const isAfter = comesAfter(query);
  let after = query.after;
  // Those that started within the millisecond of the last one are read again.
  for (let offset = 0; ; ) {
    const read = cursorsIn(await readIndex(connection, index, { ...query, after, offset, count }));
    const last = after;
    const cursors = last === undefined ? read : read.filter((cursor) => isAfter(cursor, last));
    if (cursors.length > 0) yield cursors;
    if (read.length < count) return;
    offset = cursors.length > 0 ? 0 : offset + count;
    after = cursors.at(-1) ?? after;
  }
}

/** Part of a list: up to `count` runs from a cursor on, without the first `offset` of them. */
interface IndexPart extends Pick<RunQuery, 'since' | 'until' | 'order'> {
  readonly after: RunCursor | undefined;
  readonly offset: number;
  readonly count: number;
}

function readIndex(
  connection: Redis,
  index: string,
  { since, until, order, after, offset, count }: IndexPart,
): Promise<string[]> {
  const begin = since ?? '-inf';
  const end = until === undefined ? '+inf' : `(${until}`;
  return order === 'oldest'
    ? connection.zrangebyscore(index, after?.startedAt ?? begin, end, 'WITHSCORES', 'LIMIT', offset, count)
    : connection.zrevrangebyscore(index, after?.startedAt ?? end, begin, 'WITHSCORES', 'LIMIT', offset, count);
}

/** Members and scores in turn. */
function cursorsIn(reply: readonly string[]): RunCursor[] {
  const cursors: RunCursor[] = [];
  for (let at = 0; at + 1 < reply.length; at += 2) {
    const run: RunId = reply[at] ?? '';
    cursors.push({ run, startedAt: Number(reply[at + 1]) });
  }
  return cursors;
}

/** Returns the lines of runs that still exist. */
export async function summariesOf(connection: Redis, keys: Keys, cursors: readonly RunCursor[]): Promise<RunSummary[]> {
  if (cursors.length === 0) return [];
  const stored = await readFields(
    connection,
    keys.summaries,
    cursors.map(({ run }) => run),
  );
  return stored.flatMap((json, at) => {
    const run = cursors[at]?.run;
    return json === null || run === undefined ? [] : [{ ...(JSON.parse(json) as RunSummary), run }]; // written by a commit
  });
}
