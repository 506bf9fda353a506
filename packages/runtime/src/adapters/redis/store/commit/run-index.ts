import { isEnded, tenantOf } from '@millrace/core';
import type { Commit, RunSummary } from '../../../../ports/store/port.ts';
import type { Keys } from '../../location/keys.ts';

/*
 * Lists of runs. Each tenant has sorted sets of its runs by their start: one of all, one for each status, workflow and
 * tag, and one of those with open questions; list-runs.ts reads them. A temporary run is in none of them: one set has the
 * temporary runs of all tenants, by the time at which each is removed.
 */

/** One command of a commit that keeps the indices. */
type IndexCommand = readonly [command: 'ZADD' | 'ZREM' | 'HSET', key: string, values: readonly string[]];

/** Returns the changes of a commit to the lists of runs. */
export function indexCommands(
  keys: Keys,
  { summary, formerly, asking, at }: Pick<Commit, 'summary' | 'formerly' | 'asking' | 'at'>,
): IndexCommand[] {
  if (summary === undefined) return [];
  const { run, status, expiresAt } = summary;
  const lists = keys.lists(tenantOf(run));
  const entry = [String(summary.startedAt), run];
  const written: IndexCommand[] = [['HSET', keys.summaries, [run, JSON.stringify({ ...summary, run: undefined })]]];
  if (expiresAt !== undefined) {
    return formerly === undefined ? [['ZADD', keys.expiring, [String(expiresAt), run]], ...written] : written;
  }
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
