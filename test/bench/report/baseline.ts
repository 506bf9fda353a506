import { readFile, writeFile } from 'node:fs/promises';
import type { FigureName, Line } from './line.ts';
import { figures } from './line.ts';
import type { LineName, Lines } from './result.ts';

/** Figures of the engine per piece of work, by scenario, with `appendfsync everysec`: those that do not depend on the machine. */
type Baseline = Readonly<Partial<Record<LineName, Readonly<Partial<Record<FigureName, number>>>>>>;

const file = 'test/bench/baseline.json';
/** A figure that is larger than the baseline's by more than this share is a regression. */
const tolerance = 0.05;

/** Stores the steady figures of this run as the baseline of later ones; scenarios that were not measured keep theirs. */
export async function writeBaseline(lines: Lines): Promise<void> {
  const measured = Object.fromEntries(
    withCosts(lines).map(([name, { costs, steady = [] }]) => [
      name,
      Object.fromEntries(steady.filter(isCompared).map((figure) => [figure, rounded(costs[figure].millrace)])),
    ]),
  );
  await writeFile(file, `${JSON.stringify({ ...(await readBaseline()), ...measured }, undefined, 2)}\n`);
}

/** Compares the figures of this run with the baseline and returns a sentence for each regression. */
export async function regressions(lines: Lines): Promise<readonly string[]> {
  const baseline = await readBaseline();
  return withCosts(lines).flatMap(([name, { costs }]) => {
    const before = baseline[name];
    if (before === undefined) return [`${name}: the baseline does not have it; add it with --write-baseline`];
    return (Object.entries(before) as [FigureName, number][])
      .filter(([figure, value]) => costs[figure].millrace > value * (1 + tolerance))
      .map(([figure, value]) => `${name}: ${figure} per piece are ${rounded(costs[figure].millrace)}, ${value} before`);
  });
}

/** Processor times depend on the machine, however steady they were. */
const isCompared = (figure: FigureName): boolean => figures[figure] === 'median';

const readBaseline = async (): Promise<Baseline> => JSON.parse(await readFile(file, 'utf8')) as Baseline; // written above

type LineWithCosts = Line & Required<Pick<Line, 'costs'>>;

const withCosts = (lines: Lines) =>
  (Object.entries(lines) as [LineName, Line][]).filter(
    (entry): entry is [LineName, LineWithCosts] => entry[1].costs !== undefined,
  );

const rounded = (value: number): number => Number(value.toPrecision(4));
