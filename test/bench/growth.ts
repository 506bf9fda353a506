import type { Workflow } from '@millrace/core';
import { median } from './report/line.ts';
import type { Bench } from './workload/millrace.ts';
import { chain, loop, map } from './workload/workflows.ts';

/** Duration of one size of a shape. */
export interface Growth {
  readonly shape: string;
  readonly size: number;
  readonly ms: number;
  /** Milliseconds per node, turn or unit. */
  readonly each: number;
  /** `each`, compared with that of 1,000: 1 is linear growth. */
  readonly against1000: number;
}

const sizes = [100, 1000, 10_000] as const;

const shapes: Readonly<Record<string, (size: number) => { workflow: Workflow; concurrency: number }>> = {
  chain: (size) => ({ workflow: chain(size), concurrency: 1 }),
  loop: (size) => ({ workflow: loop(size), concurrency: 1 }),
  map: (size) => ({ workflow: map(size, 1000), concurrency: 50 }),
};

/** Times chains, loops and maps of three sizes: medians of as many rounds, after one that does not count. */
export async function growthOf(
  bench: Bench,
  { rounds, report }: { readonly rounds: number; readonly report: (line: string) => void },
): Promise<readonly Growth[]> {
  const found: Growth[] = [];
  for (const [shape, make] of Object.entries(shapes)) {
    const times = new Map<number, number>();
    for (const size of sizes) {
      const { workflow, concurrency } = make(size);
      const measured: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        report(`${shape} of ${size}: round ${round} of ${rounds}`);
        const { ms } = await bench.time(workflow, { runs: 1, concurrency });
        if (round > 0) measured.push(ms);
      }
      times.set(size, median(measured));
    }
    const per1000 = (times.get(1000) ?? Number.NaN) / 1000;
    for (const [size, ms] of times) {
      found.push({ shape, size, ms, each: ms / size, against1000: ms / size / per1000 });
    }
  }
  return found;
}

/** The same as lines of a table. */
export function growthTable(growth: readonly Growth[]): string {
  const line = (...cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(8) : cell.padStart(15))).join('');
  const lines = growth.map(({ shape, size, ms, each, against1000 }) =>
    line(shape, size.toLocaleString('en'), ms.toFixed(0), each.toPrecision(3), against1000.toFixed(2)),
  );
  return `${[line('shape', 'size', 'ms', 'ms each', 'against 1,000'), ...lines].join('\n')}\n`;
}
