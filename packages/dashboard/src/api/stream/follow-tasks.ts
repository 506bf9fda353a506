import type { TenantEvent } from '@millrace/client';
import { queryClient } from '../query-client.ts';
import { isStill } from './still.ts';
import { onTenantEvents } from './tenant-events.ts';

/** Time after a change of a question in which other changes are expected, too, in milliseconds. */
const settleMs = 500;

const changesTasks: ReadonlySet<TenantEvent['type']> = new Set(['task', 'removed', 'counts', 'gap']);

/**
 * Loads the shown questions, and their numbers, again after events about questions, and with the numbers of runs, which
 * arrive every 15 seconds, because a claim expires without an event. Returns a function that stops it.
 */
export function followTasks(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = () => {
    timer = undefined;
    if (isStill.get()) return;
    for (const queryKey of [['tasks'], ['task']]) void queryClient.invalidateQueries({ queryKey });
  };
  const unsubscribe = onTenantEvents((events) => {
    if (isStill.get() || timer !== undefined) return;
    if (events.some(({ type }) => changesTasks.has(type))) timer = setTimeout(refresh, settleMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
