import type { RunStatus, TenantId } from '@millrace/core';
import { defaultTenant, runStatuses } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { RunCounts, RunScope, RunSummary, WorkflowRuns } from '../../../ports/store/port.ts';
import { countLimit, countsOf, isWanted } from '../../../ports/store/run-query.ts';
import type { Keys } from '../location/keys.ts';
import { shortest, summariesOf, walkIndices } from './list-runs.ts';

/** Counts runs by their status: by the sizes of sets, or one by one where no set contains exactly the runs. */
export function countRuns(connection: Redis, keys: Keys, scope: RunScope): Promise<RunCounts> {
  return scope.workflow === undefined && scope.tag === undefined
    ? countSets(connection, keys, scope)
    : countOneByOne(connection, keys, scope);
}

async function countSets(
  connection: Redis,
  keys: Keys,
  { tenant = defaultTenant, since, until }: RunScope,
): Promise<RunCounts> {
  const lists = keys.lists(tenant);
  const to = until === undefined ? '+inf' : `(${until}`;
  const count = (key: string) => connection.zcount(key, since ?? '-inf', to);
  const [asks, ...sizes] = await Promise.all([
    count(lists.asking),
    ...runStatuses.map((one) => count(lists.status(one))),
  ]);
  const known = runStatuses.map((status, at): [RunStatus, number] => [status, sizes[at] ?? 0]);
  return { byStatus: Object.fromEntries(known.filter(([, size]) => size > 0)), asks, capped: false };
}

/** Returns the numbers of runs of workflows, and the newest ones. */
export const runsOfWorkflows = (
  connection: Redis,
  keys: Keys,
  {
    tenant = defaultTenant,
    workflows,
  }: { readonly tenant?: TenantId | undefined; readonly workflows: readonly string[] },
): Promise<readonly WorkflowRuns[]> =>
  Promise.all(
    workflows.map(async (workflow) => {
      const key = keys.lists(tenant).workflow(workflow);
      const [count, [run, startedAt]] = await Promise.all([
        connection.zcard(key),
        connection.zrevrange(key, 0, 0, 'WITHSCORES'),
      ]);
      return run === undefined ? { count } : { count, newest: { run, startedAt: Number(startedAt) } };
    }),
  );

async function countOneByOne(connection: Redis, keys: Keys, scope: RunScope): Promise<RunCounts> {
  const query = { ...scope, limit: 1000 };
  const found: RunSummary[] = [];
  let looked = 0;
  for await (const places of walkIndices(connection, await shortest(connection, keys, scope), query)) {
    const counted = places.slice(0, countLimit - looked);
    for (const summary of await summariesOf(connection, keys, counted))
      if (isWanted(summary, scope)) found.push(summary);
    looked += places.length;
    if (looked > countLimit) return countsOf(found, true);
  }
  return countsOf(found, false);
}
