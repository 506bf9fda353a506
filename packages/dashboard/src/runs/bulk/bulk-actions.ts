import type { BulkAction, Page, RunCounts, RunLine } from '@millrace/client';
import { activeStatuses, isEnded } from '@millrace/core/run-status';
import { skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLiveOptions } from '../../api/live-updates.ts';
import { millrace } from '../../api/millrace.ts';
import type { RunFilter } from '../filter/run-filter.ts';
import { isOnlyListed } from '../filter/run-filter.ts';

/** Action on many runs. */
export type BulkActionType = 'cancel' | 'retry';

/** Runs that an action is for: some of the list, or all that its filter finds. */
export type BulkTarget =
  | { readonly type: 'runs'; readonly ids: readonly string[] }
  | { readonly type: 'filter'; readonly filter: RunFilter; readonly count: number | undefined };

/** Words of an action. */
export const bulkLabels: Readonly<
  Record<BulkActionType, { readonly verb: string; readonly effect: string; readonly past: string }>
> = {
  cancel: {
    verb: 'Cancel',
    effect: 'Work that is under way is aborted. Runs that have ended stay as they are.',
    past: 'Cancelled',
  },
  retry: {
    verb: 'Retry',
    effect:
      'The activations that failed start again; their model calls are paid again. Runs that have not failed stay as they are.',
    past: 'Retried',
  },
};

/** Tests if an action changes a run of a status. */
export const changes = (action: BulkActionType, status: RunLine['status']): boolean =>
  action === 'retry' ? status === 'failed' : !isEnded(status);

/** Returns the reason why an action cannot be applied to all runs of a filter; undefined if it can. */
export function obstacleTo(action: BulkActionType, filter: RunFilter): string | undefined {
  const { status } = filter;
  if (isOnlyListed(filter))
    return 'An action on all runs filters by status, workflow, tag and time only. Select the runs themselves.';
  if (status !== undefined && !changes(action, status))
    return `No run that is ${status} can be ${action === 'retry' ? 'retried' : 'cancelled'}.`;
  return undefined;
}

/** Runs that one bulk action names at most. */
export const mostRunsOfAction = 1_000;

/** Returns the number of runs that an action on all runs of a filter changes; undefined if it is unknown. */
export function countOf(
  action: BulkActionType,
  { status }: RunFilter,
  counts: RunCounts | undefined,
): number | undefined {
  if (counts === undefined || counts.capped) return undefined;
  if (status !== undefined) return counts[status];
  if (action === 'retry') return counts.failed;
  return activeStatuses.reduce((sum, one) => sum + counts[one], 0);
}

/** Returns a number of runs in words. */
export const runCountLabel = (count: number | undefined): string =>
  count === undefined ? 'all runs that the filter finds' : count === 1 ? '1 run' : `${count.toLocaleString('en')} runs`;

const everyMs = 1_000;

/** Loads the progress of a bulk action, until it is finished. */
export const useBulkAction = (id: string | undefined) =>
  useQuery({
    queryKey: ['bulk', 'one', id],
    queryFn: id === undefined ? skipToken : () => millrace.bulk.get(id),
    refetchInterval: ({ state }) => (state.data?.status === 'finished' ? false : everyMs),
  });

/** Loads the bulk actions of the last week, newest first, and keeps them up to date. */
export const useBulkActions = () =>
  useInfiniteQuery({
    queryKey: ['bulk', 'list'],
    queryFn: ({ pageParam }): Promise<Page<BulkAction>> => millrace.bulk.list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    ...useLiveOptions(),
  });
