import type { TenantId } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import type { Commit } from '../../../../ports/store/port.ts';

/** Time after which a process sets the expiry of a day again, in milliseconds: a failover can have lost it. */
const again = 10 * 60_000;
/** Number of days of tenants that are remembered; one that is forgotten is set again. */
const most = 10_000;

const none: ReadonlySet<string> = new Set();

/**
 * Days of the usage of tenants whose expiry this process has set a short while ago. All commits of a day would set the same, so
 * only the first one does.
 */
export class UsageExpiry {
  readonly #set = new LRUCache<string, true>({ max: most, ttl: again });

  /** Returns the days of a commit whose expiry has to be set with it. */
  due({ run, usage }: Pick<Commit, 'run' | 'usage'>): ReadonlySet<string> {
    if (usage === undefined) return none;
    const tenant = tenantOf(run);
    let due: Set<string> | undefined;
    for (const { day } of usage) if (!this.#set.has(nameOf(tenant, day))) due = (due ?? new Set()).add(day);
    return due ?? none;
  }

  /** Notes that a commit has set the expiry of these days. */
  noteSet({ run }: Pick<Commit, 'run'>, days: ReadonlySet<string>): void {
    for (const day of days) this.#set.set(nameOf(tenantOf(run), day), true);
  }

  /** Forgets all days: the store has lost commits. */
  clear(): void {
    this.#set.clear();
  }
}

const nameOf = (tenant: TenantId, day: string): string => `${day} ${tenant}`;
