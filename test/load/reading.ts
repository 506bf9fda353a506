import { cpus } from 'node:os';
import type { Installation } from './installation.ts';

/** Totals of an installation at one moment; processor times are in seconds. */
export interface Reading {
  readonly atMs: number;
  readonly activations: number;
  readonly worker: number;
  readonly api: number;
  readonly redis: number;
  /** Commands that Redis has executed, those of scripts included. */
  readonly commands: number;
  /** Processor time that all cores of the machine have spent idle. */
  readonly idle: number;
}

/** Reads the totals. */
export async function read({ apiMetrics, workerMetrics, redis }: Installation): Promise<Reading> {
  const [api, info, ...workers] = await Promise.all([
    metricsOf(apiMetrics),
    redis.info('everything'),
    ...workerMetrics.map(metricsOf),
  ]);
  const ofRedis = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  return {
    atMs: performance.now(),
    activations: sumOf(
      workers,
      /^millrace_activation_attempts_total\{.*outcome="(?:completed|suspended)".*\} (\S+)$/gm,
    ),
    worker: sumOf(workers, cpuSeconds),
    api: sumOf([api], cpuSeconds),
    redis: ofRedis('used_cpu_user') + ofRedis('used_cpu_sys'),
    commands: ofRedis('total_commands_processed'),
    idle: cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1000,
  };
}

const cpuSeconds = /^process_cpu_seconds_total (\S+)$/gm;

const metricsOf = async (url: string): Promise<string> => (await fetch(url)).text();

const sumOf = (texts: readonly string[], pattern: RegExp): number =>
  texts.flatMap((text) => [...text.matchAll(pattern)]).reduce((sum, [, value]) => sum + Number(value), 0);
