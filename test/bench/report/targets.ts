import type { Line } from './line.ts';
import type { Machine } from './machine.ts';
import type { LineName } from './result.ts';

interface Target {
  /** Value of the line that is compared: its ratio, its own value, or a cost of a piece of work. */
  readonly of: 'ratio' | 'millrace' | 'worker' | 'redis' | 'allocated';
  readonly bound: 'at most' | 'at least';
  /** A ratio to the floor, or the unit of the line; KB for `allocated`. */
  readonly value: number;
}

const atMost = (of: Target['of'], value: number): Target => ({ of, bound: 'at most', value });
const atLeast = (of: Target['of'], value: number): Target => ({ of, bound: 'at least', value });

/** Targets for a machine with nothing else to do. */
const targets: Readonly<Partial<Record<LineName, readonly Target[]>>> = {
  chain: [atMost('ratio', 1.4)],
  throughput: [atLeast('ratio', 0.45), atMost('worker', 2.2), atMost('redis', 1.55), atMost('allocated', 70)],
  throughput2: [atLeast('ratio', 0.45)],
  map: [atMost('ratio', 1.35)],
  loop: [atMost('ratio', 1.6)],
  start: [atMost('ratio', 2.8)],
  waits: [atMost('ratio', 3.2)],
  scaling: [atLeast('millrace', 1.5)],
  bytes: [atMost('millrace', 750)],
  loopState: [atMost('millrace', 1)],
  render: [atMost('millrace', 100)],
  // Less of a gain would not be worth an encoding of our own.
  encode: [atMost('ratio', 0.9)],
};

/** Titles of the costs of a piece of work. */
const costs = { worker: 'worker processor time', redis: 'Redis processor time', allocated: 'KB allocated' } as const;

/** Returns the standing of a line against each of its targets, in words. */
export function assessments(name: LineName, line: Line, machine: Machine): readonly string[] {
  return (targets[name] ?? []).flatMap((target) => {
    const value = measuredValue(line, target.of);
    if (value === undefined) return [];
    const holds = target.bound === 'at most' ? value <= target.value : value >= target.value;
    const { of } = target;
    const what = of === 'ratio' || of === 'millrace' ? '' : ` for ${costs[of]}`;
    const words = `${holds ? 'meets' : 'misses'} the target of ${target.bound} ${target.value}${what}`;
    return [holds || name !== 'scaling' ? words : `${words}${coreNote(machine)}`];
  });
}

function measuredValue(line: Line, of: Target['of']): number | undefined {
  if (of === 'ratio' || of === 'millrace') return line[of];
  const cost = line.costs?.[of];
  return of === 'allocated' && cost !== undefined ? cost.millrace / 1024 : cost?.ratio;
}

const coreNote = ({ cores, load, coreFree }: Machine): string =>
  coreFree ? '' : `; no core is free for a second worker (${cores} cores, load ${load.toFixed(1)})`;
