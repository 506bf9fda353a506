import { tenantOf } from '@millrace/core';
import type { Commit } from '../../../../ports/store/port.ts';
import { dayMs, startOfDay, usageDays } from '../../../../ports/store/usage.ts';
import type { Keys } from '../../location/keys.ts';
import type { CommandList } from './command-list.ts';

/** Adds the changes of a commit to the usage by day, which expires. */
export function addUsage(list: CommandList, keys: Keys, { run, usage }: Pick<Commit, 'run' | 'usage'>): void {
  if (usage === undefined) return;
  const tenant = tenantOf(run);
  for (const { day, field, by } of usage) list.addPlain('HINCRBY', keys.usage(tenant, day), [field, String(by)]);
  for (const day of new Set(usage.map((count) => count.day))) {
    const start = startOfDay(day);
    list.addPlain('PEXPIREAT', keys.usage(tenant, day), [String(start + (usageDays + 1) * dayMs)]);
    list.addPlain('ZADD', keys.usageTenants, ['GT', String(start), tenant]);
  }
}
