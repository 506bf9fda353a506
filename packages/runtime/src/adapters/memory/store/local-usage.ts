import type { TenantId } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { Commit } from '../../../ports/store/port.ts';
import type { UsageByDay } from '../../../ports/store/usage.ts';
import { daysBefore, otherField, smallFields, usageDays, usageRows } from '../../../ports/store/usage.ts';

/** Usage by day in this process only. */
export interface LocalUsage {
  note(commit: Pick<Commit, 'run' | 'usage'>): void;
  readonly access: UsageByDay;
}

/** Creates the usage by day without any number. */
export function createLocalUsage(): LocalUsage {
  const tenants = new Map<TenantId, Map<string, Map<string, number>>>();
  const numbersOf = (tenant: TenantId, day: string): Map<string, number> => tenants.get(tenant)?.get(day) ?? new Map();
  return {
    note({ run, usage = [] }) {
      const tenant = tenantOf(run);
      for (const { day, field, by } of usage) {
        const days = tenants.get(tenant) ?? new Map<string, Map<string, number>>();
        const numbers = days.get(day) ?? new Map<string, number>();
        numbers.set(field, (numbers.get(field) ?? 0) + by);
        tenants.set(tenant, days.set(day, numbers));
      }
    },
    access: {
      read: async (tenant, days) => days.map((day) => usageRows(numbersOf(tenant, day))),
      tenants: async (since) =>
        [...tenants].flatMap(([tenant, days]) => ([...days.keys()].some((day) => day >= since) ? [tenant] : [])).sort(),
      async condense(today) {
        const first = daysBefore(today, usageDays);
        for (const days of tenants.values()) {
          for (const [day, numbers] of days) {
            if (day < first) days.delete(day);
            for (const field of smallFields(numbers)) {
              const other = otherField(field);
              numbers.set(other, (numbers.get(other) ?? 0) + (numbers.get(field) ?? 0));
              numbers.delete(field);
            }
          }
        }
      },
    },
  };
}
