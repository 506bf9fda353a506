import { randomUUID } from 'node:crypto';
import type { AgendaItem, RunId, State, Wake } from '@millrace/core';
import { agendaItemId } from '@millrace/core';
import type { Redis } from 'ioredis';
import { expectedDues } from '../../audit/audit.ts';
import type { Shard } from '../../redis/shard.ts';
import { NewerFormat } from '../errors.ts';
import type { Keys, RunKeys } from '../keys.ts';
import { bullName, createKeys, isMessageList, jobId, listOf } from '../keys.ts';
import type { Loaded } from '../loaded.ts';
import { hasObserver, outboxEntriesIn } from '../outbox-entries.ts';
import { CommandList } from './commit/command-list.ts';
import { runCommit } from './commit/run-commit.ts';
import { countsField, countsOf, restOf } from './commit/run-fields.ts';
import { commitOf, versionOf } from './journal/journal-stream.ts';
import { loadRun } from './load-run.ts';

/*
 * A run of an earlier format is taken over atomically: its state and its agenda entries move to the keys of this
 * format, and nothing of it stays under the earlier ones. An activation that such a build executes then finds no run,
 * and is executed again here; journaled steps are not. The takeover is one call of commit.lua, so it happens only if
 * the run has not changed since it was read.
 */

/** Outcome of a takeover: `none` where no run of an earlier format is, `idle` where one is left as nothing of it is due. */
export type TakeoverOutcome = 'taken' | 'idle' | 'none';

/**
 * Takes over a run of an earlier format. With `onlyIfDue`, a run that has ended or waits stays with the builds of its
 * format.
 */
export async function takeOverRun(
  { connection, keys }: Shard,
  run: RunId,
  { onlyIfDue = false }: { readonly onlyIfDue?: boolean } = {},
): Promise<TakeoverOutcome> {
  for (;;) {
    const loaded = await loadRun(connection, keys, run).catch(unlessNewer);
    if (loaded === undefined || loaded.format === keys.format) return 'none';
    const before = createKeys(keys.prefix, loaded.format);
    const expected = expectedDues(run, loaded.state);
    if (onlyIfDue && expected.length === 0) return 'idle';
    const dues = await duesOf(connection, before, expected);
    const outboxEntries = hasObserver(loaded.state.get('origin'))
      ? await recentOutboxEntries(connection, before, run)
      : [];
    const [outcome] = await runCommit(connection, encode({ run, keys, before, loaded, dues, outboxEntries }));
    if (outcome === 'ok') return 'taken';
  }
}

/** Returns whether a run has an earlier format; a later one is not taken over. */
function unlessNewer(error: unknown): undefined {
  if (!(error instanceof NewerFormat)) throw error;
}

/** Something that is looked after, and when it is due, in milliseconds. */
interface DueItem {
  readonly due: AgendaItem;
  readonly at: number;
}

/** Returns the times at which items are due. A queued wake of an earlier format is due at once: no worker of this build serves its queue. */
async function duesOf(connection: Redis, before: Keys, dues: readonly AgendaItem[]): Promise<readonly DueItem[]> {
  if (dues.length === 0) return [];
  const multi = connection.multi().zmscore(before.agenda, dues.map(agendaItemId));
  for (const due of dues) multi.exists('activation' in due ? jobOf(before, due) : '');
  const [scores, ...queued] = await all(multi.exec());
  // ZMSCORE answers with a score or nothing for each member.
  return dues.map((due, at) => ({ due, at: queued[at] === 1 ? 0 : Number((scores as (string | null)[])[at] ?? 0) }));
}

/** Hash in which BullMQ keeps the job of a wake; the key with `:lock` exists while a worker executes the job. */
export const jobOf = (keys: Keys, wake: Wake): string => `${keys.home}:${bullName(wake.queue)}:${jobId(keys, wake)}`;

/** Returns events so recent that they may have been given to a process that no longer finds the run. */
const recentMs = 60_000;
const recentCommits = 100;

/** Ids of events that are relayed once more. */
async function recentOutboxEntries(connection: Redis, before: Keys, run: RunId): Promise<readonly string[]> {
  const journal = before.run(run).journal;
  const stored = await connection.xrevrange(journal, '+', '-', 'COUNT', recentCommits);
  const [seconds] = await connection.time();
  const since = Number(seconds) * 1000 - recentMs;
  return stored.flatMap((entry) => {
    const { at, events } = commitOf(entry);
    return at < since ? [] : outboxEntriesIn(Number(versionOf(entry)), events);
  });
}

interface RunTakeover {
  readonly run: RunId;
  readonly keys: Keys;
  readonly before: Keys;
  readonly loaded: Loaded;
  readonly dues: readonly DueItem[];
  readonly outboxEntries: readonly string[];
}

function encode({ run, keys, before, loaded, dues, outboxEntries }: RunTakeover) {
  const { state, journal } = before.run(run);
  const stored = keys.run(run).state;
  const { version, nonce, format } = loaded;
  const list = new CommandList({ state, journal }, { version, nonce, next: randomUUID(), missed: 0, format });
  const ids = dues.map(({ due }) => agendaItemId(due));
  list.add('HSET', state, ['format', String(keys.format)]);
  addMoved(list, before.run(run), loaded.state);
  if (state !== stored) list.addPlain('RENAME', state, [stored]);
  list.add('ZREM', before.agenda, ids);
  list.add(
    'ZADD',
    keys.agenda,
    dues.flatMap(({ due, at }) => [String(at), agendaItemId(due)]),
  );
  for (const entry of outboxEntries) list.addPlain('XADD', keys.outbox, ['*', 'run', run, 'entry', entry]);
  return list;
}

/** Adds the commands that move the fields and lists that earlier formats keep in other places. */
function addMoved(list: CommandList, run: RunKeys, state: State): void {
  const record = state.get('run');
  if (record !== undefined) list.add('HSET', run.state, ['run', restOf(record), countsField, countsOf(record)]);
  for (const [key, entries] of state.lists) {
    if (!isMessageList(key) || entries.length !== 1) continue;
    list.addPlain('DEL', listOf(run, key), []);
    list.add('HSET', run.state, [key, JSON.stringify(entries[0])]);
  }
}

/** The replies of a transaction; throws the first error among them. */
async function all(replies: Promise<[error: Error | null, reply: unknown][] | null>): Promise<unknown[]> {
  return ((await replies) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
