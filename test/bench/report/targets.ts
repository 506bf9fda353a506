import type { Line } from './line.ts';
import type { Machine } from './machine.ts';
import type { LineName } from './result.ts';

interface Target {
  /** Value of the line that is compared. */
  readonly of: 'ratio' | 'millrace';
  readonly bound: 'at most' | 'at least';
  readonly value: number;
}

/** Targets for a machine with nothing else to do. */
const targets: Readonly<Partial<Record<LineName, Target>>> = {
  chain: { of: 'ratio', bound: 'at most', value: 1.5 },
  throughput: { of: 'ratio', bound: 'at least', value: 0.6 },
  map: { of: 'ratio', bound: 'at most', value: 1.25 },
  scaling: { of: 'millrace', bound: 'at least', value: 1.5 },
  bytes: { of: 'millrace', bound: 'at most', value: 1500 },
  loopState: { of: 'millrace', bound: 'at most', value: 1 },
};

/** Returns the standing of a line against its target, in words; empty where there is none. */
export function standing(name: LineName, line: Line, { cores, load, coreFree }: Machine): string {
  const target = targets[name];
  const value = target === undefined ? undefined : line[target.of];
  if (target === undefined || value === undefined) return '';
  const holds = target.bound === 'at most' ? value <= target.value : value >= target.value;
  const words = `${holds ? 'meets' : 'misses'} the target of ${target.bound} ${target.value}`;
  if (holds || name !== 'scaling' || coreFree) return words;
  return `${words}; no core is free for a second worker (${cores} cores, load ${load.toFixed(1)})`;
}
