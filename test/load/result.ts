import type { Latencies } from './drive.ts';
import type { Options } from './options.ts';
import type { Reading } from './reading.ts';

/** Result of one load. Latencies are in milliseconds, processor times in microseconds per activation. */
export interface Result {
  readonly profile: string;
  readonly workers: number;
  readonly concurrency: number;
  readonly seconds: number;
  /** Per second. */
  readonly runs: number;
  readonly activations: number;
  /** Rate relative to the first line of the table, per worker: 1 is linear. */
  readonly linear: number;
  readonly cpu: { readonly worker: number; readonly redis: number; readonly api: number };
  /** Share of one core that Redis uses. */
  readonly redisCore: number;
  /** Commands of Redis per activation, those of scripts included. */
  readonly commands: number;
  /** Cores of the machine that were idle. */
  readonly idleCores: number;
  readonly latency: Readonly<Record<keyof Latencies, Percentiles | undefined>>;
}

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** A load that was measured. */
export interface Measured {
  readonly options: Options;
  readonly workers: number;
  readonly from: Reading;
  readonly to: Reading;
  readonly latencies: Latencies;
}

/** Returns the result of a load; `first` is the result with which it is compared. */
export function resultOf({ options, workers, from, to, latencies }: Measured, first?: Result): Result {
  const seconds = (to.atMs - from.atMs) / 1000;
  const done = to.activations - from.activations;
  const activations = done / seconds;
  const perActivation = (part: 'worker' | 'redis' | 'api') => ((to[part] - from[part]) / done) * 1e6;
  return {
    profile: options.profile,
    workers,
    concurrency: options.concurrency,
    seconds,
    runs: latencies.run.length / seconds,
    activations,
    linear: first === undefined ? 1 : activations / workers / (first.activations / first.workers),
    cpu: { worker: perActivation('worker'), redis: perActivation('redis'), api: perActivation('api') },
    redisCore: (to.redis - from.redis) / seconds,
    commands: (to.commands - from.commands) / done,
    idleCores: (to.idle - from.idle) / seconds,
    latency: {
      start: percentilesOf(latencies.start),
      run: percentilesOf(latencies.run),
      answer: percentilesOf(latencies.answer),
    },
  };
}

function percentilesOf(values: readonly number[]): Percentiles | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return sorted.length === 0 ? undefined : { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

const columns: readonly (readonly [head: string, cell: (result: Result) => string])[] = [
  ['profile', ({ profile }) => profile],
  ['workers', ({ workers }) => String(workers)],
  ['activations/s', ({ activations }) => round(activations)],
  ['of linear', ({ linear }) => linear.toFixed(2)],
  ['runs/s', ({ runs }) => round(runs)],
  ['worker µs', ({ cpu }) => round(cpu.worker)],
  ['Redis µs', ({ cpu }) => round(cpu.redis)],
  ['API µs', ({ cpu }) => round(cpu.api)],
  ['Redis core', ({ redisCore }) => `${Math.round(redisCore * 100)} %`],
  ['idle cores', ({ idleCores }) => idleCores.toFixed(1)],
  ['start ms', ({ latency }) => written(latency.start)],
  ['run ms', ({ latency }) => written(latency.run)],
  ['answer ms', ({ latency }) => written(latency.answer)],
];

const round = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

const written = (percentiles: Percentiles | undefined): string =>
  percentiles === undefined ? '–' : `${round(percentiles.p50)} / ${round(percentiles.p95)} / ${round(percentiles.p99)}`;

/** Table for a terminal; percentiles are the 50th, 95th and 99th. */
export function tableOf(results: readonly Result[]): string {
  const rows = rowsOf(results);
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')).join('\n');
}

/** Table for a page of the guide. */
export function markdownOf(results: readonly Result[]): string {
  const [head = [], ...rows] = rowsOf(results);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const rowsOf = (results: readonly Result[]): readonly (readonly string[])[] => [
  columns.map(([head]) => head),
  ...results.map((result) => columns.map(([, cell]) => cell(result))),
];
