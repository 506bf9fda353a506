import { millrace } from '../../api/millrace.ts';
import { serverNow } from '../../api/server-clock.ts';
import type { Copied } from '../../kit/commands/copy-of.ts';
import { copyOf } from '../../kit/commands/copy-of.ts';
import type { RunFilter } from '../filter/run-filter.ts';
import type { BulkAction, BulkTarget } from './bulk-action.ts';

/** Orders an action on many runs. Returns the id of the order. */
export async function giveOrder(action: BulkAction, target: BulkTarget): Promise<string> {
  const { id } = await millrace.bulk.give({ action, filter: orderFilter(action, target) });
  return id;
}

/** Returns an order as a command and as a request, for copying. */
export const copiedOrder = (action: BulkAction, target: BulkTarget): Copied =>
  copyOf('bulk.create', { action, filter: orderFilter(action, target) });

const orderFilter = (action: BulkAction, target: BulkTarget) =>
  target.type === 'runs' ? { ids: [...target.ids] } : filterOf(action, target.filter);

function filterOf(action: BulkAction, { status, workflow, tag, since, until }: RunFilter) {
  return Object.fromEntries(
    Object.entries({
      status: action === 'retry' ? 'failed' : status,
      workflow,
      tag,
      since: momentOf(since),
      // An order for everything names a moment, as it must name something.
      until: momentOf(until) ?? String(serverNow()),
    }).filter(([, value]) => value !== undefined),
  );
}

/** Returns a moment for requests; a duration is subtracted from now. */
function momentOf(text: string | undefined): string | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text ?? '') ?? [];
  if (amount === undefined) return text;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return String(Math.round(serverNow() - Number(amount) * (units[unit ?? ''] ?? 1)));
}
