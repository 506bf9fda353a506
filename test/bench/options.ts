import { parseArgs } from 'node:util';
import type { KeptName } from './kept.ts';
import { keptNames } from './kept.ts';
import type { ScenarioName } from './workload/scenarios.ts';
import { scenarios } from './workload/scenarios.ts';
import type { Sizes } from './workload/sizes.ts';
import { full, tiny } from './workload/sizes.ts';

/** Options of the benchmark. */
export interface Options {
  readonly scenarios: readonly ScenarioName[];
  readonly kept: readonly KeptName[];
  readonly recall: boolean;
  /** Instead of all that: the engine alone on shapes of three sizes. */
  readonly growth: boolean;
  readonly rounds: number;
  readonly warmUps: number;
  readonly sizes: Sizes;
  readonly quick: boolean;
  readonly json: boolean;
}

const scenarioNames = Object.keys(scenarios) as ScenarioName[]; // The type is made from the same keys.
const all: readonly string[] = [...scenarioNames, ...keptNames, 'recall'];

/** Usage of the benchmark's command line. */
export const usage = `usage: npm run bench [-- [--json] [--quick] [--rounds N] [--only ${all.join(',')}] [--table growth]]`;

/** Reads the command line; a string says what is wrong with it. */
export function readOptions(args: readonly string[]): Options | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const only = values.only?.split(',') ?? all;
  const unknown = only.find((name) => !all.includes(name));
  if (unknown !== undefined) return `There is no scenario "${unknown}".`;
  if (values.table !== undefined && values.table !== 'growth') return `There is no table "${values.table}".`;
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1)
    return `--rounds takes a whole number from 1 on, not "${values.rounds}".`;
  return {
    scenarios: scenarioNames.filter((name) => only.includes(name)),
    kept: keptNames.filter((name) => only.includes(name)),
    recall: only.includes('recall'),
    growth: values.table === 'growth',
    rounds,
    warmUps: values.quick ? 0 : 2,
    sizes: values.quick ? tiny : full,
    quick: values.quick,
    json: values.json,
  };
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      table: { type: 'string' },
    },
  }).values;
