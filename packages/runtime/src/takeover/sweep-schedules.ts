import type { Shard } from '../redis/shard.ts';
import type { Schedule } from '../resources/schedules.ts';
import { allSchedules, pastTicks, scheduleRegister } from '../resources/schedules.ts';
import { formatsBefore } from '../store/format.ts';
import { createKeys } from '../store/keys.ts';
import { createRedisRegistry } from '../store/redis/resources/redis-registry.ts';

/**
 * Takes over the schedules of builds with earlier formats. `follow` starts the ticks of one; it is called before the
 * other build forgets the schedule, so that after a crash in between it is taken over again.
 */
export async function sweepSchedules(
  { connection, keys }: Shard,
  follow: (series: string, schedule: Schedule) => Promise<void>,
): Promise<void> {
  const registry = createRedisRegistry(connection, keys);
  for (const format of formatsBefore(keys.format)) {
    const before = createRedisRegistry(connection, createKeys(keys.prefix, format));
    for await (const { series, schedule } of allSchedules({ registry: before })) {
      await registry.add(scheduleRegister, series, JSON.stringify(schedule));
      const past = await before.read(pastTicks, series);
      if (past !== undefined) await registry.add(pastTicks, series, past);
      await follow(series, schedule);
      await before.remove(scheduleRegister, series);
      await before.remove(pastTicks, series);
    }
  }
}
