import { setTimeout as pass } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Line } from './report/line.ts';
import { openEngine, work } from './workload/millrace.ts';

/** Numbers of idle workers, by the names that results have. */
const workers = { idle1: 1, idle10: 10 } as const;

/** Name of a line about idle workers. */
export type IdleName = keyof typeof workers;

/** Names of the lines about idle workers. */
export const idleNames = Object.keys(workers) as IdleName[];

/** Location and duration of the measurement of idle workers. */
interface IdleWindow {
  readonly redisUrl: string;
  readonly windowMs: number;
  readonly report: (line: string) => void;
}

/** Counts the commands of workers that have nothing to do, each with connections of its own, as in a process of its own. */
export async function idleLines(
  names: readonly IdleName[],
  { redisUrl, windowMs, report }: IdleWindow,
): Promise<Readonly<Partial<Record<IdleName, Line>>>> {
  const lines: Partial<Record<IdleName, Line>> = {};
  for (const name of names) {
    report(name);
    const count = workers[name];
    const floor = await rateOf(
      redisUrl,
      windowMs,
      all(count, () => openFloor(redisUrl)),
    );
    const millrace = await rateOf(
      redisUrl,
      windowMs,
      all(count, () => openWorker(redisUrl)),
    );
    const unit = `commands a second of ${count === 1 ? 'an idle worker' : `${count} idle workers`}`;
    lines[name] = { floor, millrace, ratio: millrace / floor, unit };
  }
  return lines;
}

type Close = () => Promise<void>;

const all = (count: number, open: () => Promise<Close>) => async (): Promise<Close> => {
  const closes = await Promise.all(Array.from({ length: count }, open));
  return async () => void (await Promise.all(closes.map((close) => close())));
};

async function openWorker(redisUrl: string): Promise<Close> {
  const engine = await openEngine(redisUrl);
  engine.startCaretaker();
  const worker = work(engine, 16);
  return async () => {
    await worker.close();
    await engine.close();
  };
}

async function openFloor(redisUrl: string): Promise<Close> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const worker = new Worker('idle', async () => undefined, { connection, prefix: '{floor}', concurrency: 16 });
  await worker.waitUntilReady();
  return async () => {
    await worker.close();
    connection.disconnect();
  };
}

/** Returns commands per second, those inside of scripts included, after the workers have settled down. */
async function rateOf(redisUrl: string, windowMs: number, open: () => Promise<Close>): Promise<number> {
  const connection = new Redis(redisUrl);
  const close = await open();
  await pass(Math.min(windowMs, 2000));
  const before = await commands(connection);
  const started = performance.now();
  await pass(windowMs);
  const rate = ((await commands(connection)) - before) / ((performance.now() - started) / 1000);
  await close();
  connection.disconnect();
  return rate;
}

async function commands(connection: Redis): Promise<number> {
  const info = await connection.info('stats');
  return Number(/^total_commands_processed:(\d+)/m.exec(info)?.[1]);
}
