import { readFile, writeFile } from 'node:fs/promises';
import type { Line } from './line.ts';
import type { LineName, Lines } from './result.ts';

/** Processor time as a ratio to the floor's, by scenario, with `appendfsync everysec`. */
type Baseline = Readonly<Partial<Record<LineName, Readonly<Record<'worker' | 'redis', number>>>>>;

const file = 'test/bench/baseline.json';
/** A ratio that is larger than the baseline's by more than this share is a regression. */
const tolerance = 0.15;

/** Stores the ratios of this run as the baseline of later ones; scenarios that were not measured keep theirs. */
export async function writeBaseline(lines: Lines): Promise<void> {
  const measured = Object.fromEntries(ratiosOf(lines));
  await writeFile(file, `${JSON.stringify({ ...(await readBaseline()), ...measured }, undefined, 2)}\n`);
}

/** Compares the ratios of this run with the baseline and returns a sentence for each regression. */
export async function regressions(lines: Lines): Promise<readonly string[]> {
  const baseline = await readBaseline();
  return ratiosOf(lines).flatMap(([name, ratios]) => {
    const before = baseline[name];
    if (before === undefined) return [`${name}: the baseline does not have it; add it with --write-baseline`];
    return (['worker', 'redis'] as const)
      .filter((part) => ratios[part] > before[part] * (1 + tolerance))
      .map((part) => `${name}: processor time of ${part} is ${ratios[part]} times the floor's, ${before[part]} before`);
  });
}

const readBaseline = async (): Promise<Baseline> => JSON.parse(await readFile(file, 'utf8')) as Baseline; // written above

const ratiosOf = (lines: Lines) =>
  (Object.entries(lines) as [LineName, Line][]).flatMap(([name, { costs }]) =>
    costs === undefined
      ? []
      : [[name, { worker: rounded(costs.worker.ratio), redis: rounded(costs.redis.ratio) }] as const],
  );

const rounded = (ratio: number): number => Number(ratio.toPrecision(3));
