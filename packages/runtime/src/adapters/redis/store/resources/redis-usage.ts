import type { TenantId } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { UsageByDay } from '../../../../ports/store/usage.ts';
import {
  daysBefore,
  mostNumbers,
  otherField,
  smallFields,
  startOfDay,
  usageDays,
  usageRows,
} from '../../../../ports/store/usage.ts';
import { readScript, runScript } from '../../commands/script.ts';
import type { Keys } from '../../location/keys.ts';

const foldScript = readScript(
  new URL('../../../../../src/adapters/redis/store/resources/fold-usage.lua', import.meta.url),
);

const daysAtOnce = 50;
const fieldsAtOnce = 1000;
/** Days whose rows are read: servers may have been down for a while. */
const condensedDays = 7;

/** Usage by day in hashes, one for each tenant and day, which expire. Commits change them; see `addUsage`. */
export function createRedisUsage(connection: Redis, keys: Keys): UsageByDay {
  const read = async (tenant: TenantId, day: string): Promise<ReadonlyMap<string, number>> =>
    new Map(
      Object.entries(await connection.hgetall(keys.usage(tenant, day))).map(([field, by]) => [field, Number(by)]),
    );
  const tenants = (since: string) =>
    connection.zrangebyscore(keys.usageTenants, startOfDay(since), '+inf').then((found) => found.sort());
  return {
    tenants,
    async read(tenant, days) {
      const found = [];
      for (let from = 0; from < days.length; from += daysAtOnce) {
        const some = days.slice(from, from + daysAtOnce).map((day) => read(tenant, day));
        for (const numbers of await Promise.all(some)) found.push(usageRows(numbers));
      }
      return found;
    },
    async condense(today) {
      await connection.zremrangebyscore(keys.usageTenants, '-inf', `(${startOfDay(daysBefore(today, usageDays))}`);
      const days = Array.from({ length: condensedDays }, (_, ago) => daysBefore(today, ago));
      for (const tenant of await tenants(days.at(-1) ?? today)) {
        const sizes = await Promise.all(days.map((day) => connection.hlen(keys.usage(tenant, day))));
        for (const [at, day] of days.entries()) {
          if ((sizes[at] ?? 0) <= mostNumbers) continue;
          const small = smallFields(await read(tenant, day));
          for (let from = 0; from < small.length; from += fieldsAtOnce) {
            const args = small.slice(from, from + fieldsAtOnce).flatMap((field) => [field, otherField(field)]);
            await runScript(connection, foldScript, { keys: [keys.usage(tenant, day)], args });
          }
        }
      }
    },
  };
}
