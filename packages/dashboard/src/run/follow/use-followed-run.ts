import type { Run, RunEvent, TenantEvent } from '@millrace/client';
import type { RunProjection } from '@millrace/core/projection';
import { displayedStatus, usageByNode } from '@millrace/core/projection';
import { parseQuestionId } from '@millrace/core/question-id';
import { useEffect } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import { isStill } from '../../api/live-updates.ts';
import { queryClient } from '../../api/query-client.ts';
import { onTenantEvents } from '../../api/tenant-events.ts';
import { reachability } from '../../api/transport.ts';
import { presentProjection } from './present-projection.ts';
import { createRefresh, isViewOf } from './refresh.ts';
import { logOf } from './run-logs.ts';
import { graphsQuery, runQuery } from './run-queries.ts';

/** Types of events after which questions or errors of a run may be other ones; they have more to them than their events. */
const changesHead = /^run\.|^activation\.(suspended|answered|failed)$/;

/** Shortest times between two readings of a run and of the views of it, in milliseconds. */
const headMs = 1_000;
const graphMs = 500;
const viewsMs = 2_000;

/** Keeps a run and its loaded parts up to date: its events patch them, or cause them to be read again. Undefined: there is no run yet. */
export function useFollowedRun(run: string | undefined): void {
  useEffect(() => (run === undefined ? undefined : followRun(run)), [run]);
}

function followRun(run: string): () => void {
  const log = logOf(run);
  const head = createRefresh(() => queryClient.invalidateQueries({ ...runQuery(run), exact: true }), headMs);
  const graph = createRefresh(() => queryClient.invalidateQueries({ ...graphsQuery(run), exact: true }), graphMs);
  const views = createRefresh(
    () => queryClient.invalidateQueries({ predicate: (query) => isViewOf(run, query) }),
    viewsMs,
  );
  const patch = (events: readonly RunEvent[]) => {
    if (events.length === 0) return;
    const projection = presentProjection(log);
    if (projection !== undefined)
      queryClient.setQueryData(runQuery(run).queryKey, (before) => before && patchedRun(before, projection));
    if (projection === undefined || events.some(({ event }) => changesHead.test(event.type))) head.due();
    // Without a journal, the page has no projection of its own: a comparison of two runs needs none.
    if (projection === undefined) graph.due();
    views.due();
  };
  const onTenant = (events: readonly TenantEvent[]) => {
    if (isStill.get() || !events.some((event) => concerns(event, run))) return;
    head.due();
    // An ended run continues when it is resumed or retried.
    log.resume();
  };
  const ends = [
    log.subscribe(patch),
    onTenantEvents(onTenant),
    reachability.subscribe(() => reachability.get().isReached && log.resume()),
    head.end,
    graph.end,
    views.end,
  ];
  return () => {
    for (const end of ends) end();
  };
}

const concerns = (event: TenantEvent, run: string): boolean =>
  event.type === 'gap' ||
  (event.type === 'run' && event.run.runId === run) ||
  ((event.type === 'task' || event.type === 'removed') && event.runId === run);

/**
 * Returns a run with all changes that its events contain. New questions and errors have further fields, which events lack;
 * questions that are over are removed.
 */
function patchedRun(run: Run, projection: RunProjection): Run {
  const { activations, usage, budget, at } = projection;
  const status = displayedStatus(projection);
  const { finishedAt: _before, ...rest } = run;
  return {
    ...rest,
    status,
    tasks: run.tasks.filter(({ id }) => !hasEnded({ status }) && asks(projection, parseQuestionId(id).activation)),
    activations,
    usage,
    usageByNode: usageByNode(projection),
    budget: run.budget === null || budget == null ? run.budget : { ...run.budget, ...budget },
    ...(hasEnded({ status }) ? { finishedAt: run.finishedAt ?? at } : {}),
  };
}

/** Tests if an activation waits for a person. */
function asks({ live }: RunProjection, activation: string): boolean {
  const wait = live.get(activation)?.waitsFor;
  return wait?.type === 'person' || (wait?.type === 'budget' && wait.asks === true);
}
