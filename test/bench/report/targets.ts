import type { FigureName, Line } from './line.ts';
import { longestOf } from './line.ts';
import type { LineName, Lines } from './result.ts';

interface Target {
  /** The engine's value: of the line, of a figure of its cost, or of a figure divided by the floor's. */
  readonly of: 'line' | 'lineRatio' | FigureName | `${FigureName}Ratio`;
  readonly atMost: number;
  /** It depends on the machine: it holds where nothing else computes. */
  readonly quiet?: true;
}

const atMost = (of: Target['of'], value: number): Target => ({ of, atMost: value });
const quiet = (of: Target['of'], value: number): Target => ({ of, atMost: value, quiet: true });
/** Bounds of figures of one piece of work; of the heap in KB. */
const piece = ({ heapKb, ...counts }: Readonly<Partial<Record<FigureName, number>>> & { readonly heapKb: number }) => [
  ...Object.entries(counts).map(([figure, value]) => atMost(figure as FigureName, value)), // the keys of `counts`
  atMost('allocated', heapKb * 1024),
];

const targets: Readonly<Partial<Record<LineName, readonly Target[]>>> = {
  chain: piece({ commands: 38, scripts: 3, commits: 1, bytes: 2000, heapKb: 55 }),
  throughput: [quiet('workerRatio', 1.6), quiet('redisRatio', 1.35)],
  loop: [...piece({ commands: 76, scripts: 6, commits: 2, bytes: 4500, heapKb: 120 }), quiet('workerRatio', 2.2)],
  agent: [...piece({ commands: 60, scripts: 6, commits: 4, bytes: 7500, heapKb: 200 }), quiet('worker', 700)],
  start: [...piece({ commands: 66, scripts: 5, commits: 2, bytes: 4500, heapKb: 110 }), quiet('workerRatio', 1.8)],
  far: [quiet('lineRatio', 0.9)],
  httpStart: [quiet('lineRatio', 3)],
  httpStart500: [quiet('lineRatio', 3)],
  workerStart: [quiet('line', 350)],
  bytes: [atMost('line', 750)],
  loopState: [atMost('line', 1)],
  render: [quiet('line', 100)],
  // Less of a gain would not be worth an encoding of our own.
  encode: [quiet('lineRatio', 0.9)],
};

/** Longest turn of an event loop and longest command of Redis in the whole benchmark, in milliseconds. */
const longestAllowedMs = 50;

/** Returns the standing of a line against each of its targets, in words. */
export function assessments(name: LineName, line: Line): readonly string[] {
  return (targets[name] ?? []).flatMap((target) => {
    const value = measuredValue(line, target.of);
    if (value === undefined) return [];
    // Counts per piece contain the work around the pieces, which is less than half of the last digit of a target.
    const holds = value < target.atMost * (1 + rounding);
    const of = target.of === 'line' ? '' : ` for ${titles[target.of] ?? target.of}`;
    const where = target.quiet ? ', on a machine without other work' : '';
    return [`${holds ? 'meets' : 'misses'} the target of at most ${shownBound(target)}${of}${where}`];
  });
}

const rounding = 0.01;

const shownBound = ({ of, atMost: bound }: Target): string => (of === 'allocated' ? `${bound / 1024} KB` : `${bound}`);

const titles: Readonly<Partial<Record<Target['of'], string>>> = {
  lineRatio: 'the ratio',
  worker: "microseconds of the worker's processor time",
  workerRatio: "the ratio of the worker's processor time",
  redisRatio: "the ratio of Redis' processor time",
  allocated: 'heap',
  bytes: 'bytes to Redis',
};

/** Returns the longest turn and command of all lines, against their target; undefined when none was watched. */
export function longestAssessment(lines: Lines): string | undefined {
  const watched = Object.values(lines).flatMap(({ longest }) => longest ?? []);
  if (watched.length === 0) return undefined;
  const { turnMs, commandMs } = longestOf(watched);
  const holds = Math.max(turnMs, commandMs) <= longestAllowedMs;
  return `longest turn of the event loop ${turnMs.toFixed(1)} ms of processor time, longest command of Redis ${commandMs.toFixed(1)} ms: ${holds ? 'meet' : 'miss'} the target of at most ${longestAllowedMs} ms`;
}

function measuredValue(line: Line, of: Target['of']): number | undefined {
  if (of === 'line') return line.millrace;
  if (of === 'lineRatio') return line.ratio;
  const isRatio = of.endsWith('Ratio');
  const figure = (isRatio ? of.slice(0, -'Ratio'.length) : of) as FigureName; // `of` is one with or without the ending
  return line.costs?.[figure][isRatio ? 'ratio' : 'millrace'];
}
