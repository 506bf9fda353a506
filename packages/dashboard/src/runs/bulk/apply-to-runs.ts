import { ApiProblem } from '@millrace/client';
import { millrace } from '../../api/millrace.ts';
import type { RunFilter } from '../filter/run-filter.ts';
import type { BulkAction } from './bulk-action.ts';

/** Progress of an action on selected runs. */
export interface BulkProgress {
  readonly total: number;
  readonly done: number;
  /** Runs that the action could not be applied to, with the reasons. */
  readonly refused: readonly { readonly run: string; readonly error: unknown }[];
}

/** Requests that are under way at a time. */
const together = 4;

/** Applies an action to selected runs and tells how far it has come. A refusal of one run does not keep others from it. */
export async function applyToRuns(
  action: BulkAction,
  ids: readonly string[],
  tell: (progress: BulkProgress) => void,
): Promise<void> {
  let progress: BulkProgress = { total: ids.length, done: 0, refused: [] };
  const left = [...ids];
  const work = async () => {
    for (let run = left.shift(); run !== undefined; run = left.shift()) {
      try {
        await millrace.runs.get(run)[action]();
        progress = { ...progress, done: progress.done + 1 };
      } catch (error) {
        // Without a server, or without being signed in, the others would fail alike.
        if (!(error instanceof ApiProblem) || error.status === 401) throw error;
        progress = { ...progress, refused: [...progress.refused, { run, error }] };
      }
      tell(progress);
    }
  };
  tell(progress);
  await Promise.all(Array.from({ length: together }, work));
}

/** Orders an action on all runs that a filter finds. Returns the id of the order. */
export async function giveOrder(
  action: BulkAction,
  { status, workflow, tag, since, until }: RunFilter,
): Promise<string> {
  const filter = Object.fromEntries(
    Object.entries({
      status: action === 'retry' ? 'failed' : status,
      workflow,
      tag,
      since: momentOf(since),
      // An order for everything names a moment, as it must name something.
      until: momentOf(until) ?? String(Date.now()),
    }).filter(([, value]) => value !== undefined),
  );
  const { id } = await millrace.bulk.give({ action, filter });
  return id;
}

/** Returns a moment as requests have it; a duration is so long ago. */
function momentOf(text: string | undefined): string | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text ?? '') ?? [];
  if (amount === undefined) return text;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return String(Math.round(Date.now() - Number(amount) * (units[unit ?? ''] ?? 1)));
}
