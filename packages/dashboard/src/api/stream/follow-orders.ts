import { queryClient } from '../query-client.ts';
import { isStill } from './still.ts';
import { onTenantEvents } from './tenant-events.ts';

/** Time after a change of a batch or an order in which other changes are expected, too, in milliseconds. */
const settleMs = 500;

/** Loads the batches and bulk orders that are shown again after events about them. Returns a function that stops it. */
export function followOrders(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = new Set<string>();
  const refresh = () => {
    timer = undefined;
    if (isStill.get()) return;
    for (const kind of changed) void queryClient.invalidateQueries({ queryKey: [kind] });
    changed.clear();
  };
  const unsubscribe = onTenantEvents((events) => {
    if (isStill.get()) return;
    for (const { type } of events) {
      if (type === 'batch' || type === 'gap') changed.add('batches');
      if (type === 'bulk' || type === 'gap') changed.add('bulk');
    }
    if (changed.size > 0) timer ??= setTimeout(refresh, settleMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
