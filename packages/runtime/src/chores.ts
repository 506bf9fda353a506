import type { Report } from './adapters/redis/connection/report.ts';
import type { Runs } from './contract/runs.ts';
import type { Chore } from './maintenance/caretaker.ts';
import { sweepFiles } from './maintenance/retention/sweep-files.ts';
import { sweepStoredBytes } from './maintenance/retention/sweep-stored-bytes.ts';
import type { Keep } from './maintenance/retention/tidy.ts';
import { removeExpiredRuns, removeTemporaryRuns } from './maintenance/retention/tidy.ts';
import type { Lease } from './ports/lease.ts';
import { dayOf } from './ports/store/usage.ts';
import type { RuntimeParts, SharedParts } from './runtime.ts';

/** Options of the chores of a caretaker. */
export interface ChoresOptions extends Pick<RuntimeParts, 'store' | 'blobs'> {
  readonly shared: SharedParts | undefined;
  readonly keep?: Keep | undefined;
  readonly keepFilesMs?: number | undefined;
  readonly report: Report;
  /** Cancels temporary runs, and receives the removals of runs. */
  readonly runs: Pick<Runs, 'tenantEvents' | 'cancel'>;
  /** Lease of the caretaker. */
  readonly lease: Lease | undefined;
  /** Removes data whose retention has ended. */
  readonly removes: boolean;
}

/** Time after which a holder that has died is replaced where that matters less than the cost of asking, in milliseconds. */
const longLeaseMs = 15_000;

/** Returns what a caretaker does beside its work on the agenda. */
export function choresOf(options: ChoresOptions): readonly Chore[] {
  const { store, lease, shared, report } = options;
  const recovery: Chore[] =
    shared === undefined
      ? []
      : [
          {
            act: shared.recoverJobs,
            everyMs: 1000,
            lease,
            trouble: 'the jobs of dead workers could not be recovered, or wakes not counted; trying again',
          },
        ];
  return [
    ...recovery,
    {
      act: hourly(store.now, () => store.usage.condense(dayOf(store.now()))),
      everyMs: 10_000,
      lease,
      trouble: 'the usage of past days could not be condensed; trying again',
    },
    {
      act: hourly(store.now, sweepStoredBytes(store, report)),
      everyMs: 10_000,
      lease,
      trouble: 'the counted bytes of tenants could not be compared with what exists; trying again',
    },
    expiry(options),
    ...sweeping(options),
    ...removal(options),
  ];
}

/** Every process can remove temporary runs: they are not archived. */
function expiry({ lease, ...options }: ChoresOptions): Chore {
  const removing = { ...options, tenantEvents: options.runs.tenantEvents };
  const trouble = 'temporary runs could not be removed; trying again';
  return { act: (signal) => removeTemporaryRuns(removing, signal), everyMs: 30_000, lease, trouble };
}

/** Objects that processes have left behind are rare: they are looked for once an hour. */
function sweeping({ store, shared, lease }: ChoresOptions): readonly Chore[] {
  if (shared?.storage.sweep === undefined) return [];
  const trouble = 'objects in S3 that nothing refers to could not be deleted; trying again';
  return [{ act: hourly(store.now, shared.storage.sweep), everyMs: 10_000, lease, trouble }];
}

/** Only processes that are configured to remove data compete for its lease. */
function removal({ keep, keepFilesMs, shared, removes, runs, ...options }: ChoresOptions): readonly Chore[] {
  if (!removes || (keep === undefined && keepFilesMs === undefined)) return [];
  const act = async (signal: AbortSignal) => {
    const removing = { ...options, archive: shared?.storage.archive, tenantEvents: runs.tenantEvents };
    if (keep !== undefined) await removeExpiredRuns({ ...removing, keep }, signal);
    if (keepFilesMs !== undefined) await sweepFiles({ ...options, keepMs: keepFilesMs }, signal);
  };
  const lease = shared?.startLease({ name: 'retention', leaseMs: longLeaseMs });
  return [{ act, everyMs: 10_000, lease, trouble: 'ended runs could not be removed; trying again' }];
}

/** Returns an action that does something at most once an hour. */
function hourly<Context extends unknown[]>(
  now: () => number,
  act: (...context: Context) => Promise<void>,
): (...context: Context) => Promise<void> {
  let at = Number.NEGATIVE_INFINITY;
  return async (...context) => {
    if (now() - at < 60 * 60 * 1000) return;
    await act(...context);
    at = now();
  };
}
