import type { Redis } from 'ioredis';

/** What the Redis server did in a while, for all of its clients. */
export interface RedisCost {
  /** Processor time in microseconds. */
  readonly redis: number;
  /** Commands, those inside of scripts included. */
  readonly commands: number;
  readonly scripts: number;
  /** Number of times that it read from a socket: several commands can come in one packet. */
  readonly packets: number;
  /** Bytes that it received. */
  readonly bytes: number;
  /** Longest command in milliseconds, by the server's own clock; 0: none took a millisecond. */
  readonly commandMs: number;
}

const slowerThanUs = 1000;
const keptSlow = 1024;

/** Starts counting; the returned function stops. */
export async function countRedis(connection: Redis): Promise<() => Promise<RedisCost>> {
  await connection.config('SET', 'slowlog-log-slower-than', String(slowerThanUs), 'slowlog-max-len', String(keptSlow));
  await connection.slowlog('RESET');
  const before = await countersOf(connection);
  return async () => {
    const after = await countersOf(connection);
    return {
      redis: after.redis - before.redis,
      commands: after.commands - before.commands,
      scripts: after.scripts - before.scripts,
      packets: after.packets - before.packets,
      bytes: after.bytes - before.bytes,
      commandMs: await longestCommand(connection),
    };
  };
}

type Counters = Omit<RedisCost, 'commandMs'>;

async function countersOf(connection: Redis): Promise<Counters> {
  const info = await connection.info('everything');
  const value = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)?.[1] ?? Number.NaN);
  const calls = (command: string) => Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return {
    redis: (value('used_cpu_user') + value('used_cpu_sys')) * 1_000_000,
    commands: value('total_commands_processed'),
    scripts: calls('evalsha') + calls('eval'),
    packets: value('total_reads_processed'),
    bytes: value('total_net_input_bytes'),
  };
}

async function longestCommand(connection: Redis): Promise<number> {
  const entries = (await connection.slowlog('GET', keptSlow)) as (readonly unknown[])[]; // id, time, microseconds, …
  return entries.reduce((longest, [, , microseconds]) => Math.max(longest, Number(microseconds)), 0) / 1000;
}
