import { parseArgs } from 'node:util';
import type { HttpStartName } from './http-starts.ts';
import { httpStartNames } from './http-starts.ts';
import type { IdleName } from './idle.ts';
import { idleNames } from './idle.ts';
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
  readonly idle: readonly IdleName[];
  readonly httpStarts: readonly HttpStartName[];
  readonly workerStart: boolean;
  readonly hugeMap: boolean;
  readonly recall: boolean;
  readonly render: boolean;
  readonly encode: boolean;
  /** Measures other systems, too. */
  readonly peers: boolean;
  /** Use of the baseline: the result is compared with it, or replaces it. */
  readonly baseline: 'check' | 'write' | undefined;
  /** Instead of all that: the engine alone on shapes of three sizes. */
  readonly growth: boolean;
  readonly rounds: number;
  /** Pieces of work of each scenario before the first round. */
  readonly warmUpPieces: number;
  readonly sizes: Sizes;
  readonly quick: boolean;
  readonly json: boolean;
}

const scenarioNames = Object.keys(scenarios) as ScenarioName[]; // The type is made from the same keys.
const single = ['workerStart', 'hugeMap', 'recall', 'render', 'encode'] as const;
const all: readonly string[] = [...scenarioNames, ...keptNames, ...idleNames, ...httpStartNames, ...single];

/** Usage of the benchmark's command line. */
export const usage = `usage: npm run bench [-- [--json] [--quick] [--rounds N] [--warm-up PIECES] [--only ${all.join(',')}] [--table growth] [--peers] [--check | --write-baseline]]`;

/** Reads the command line; a string says what is wrong with it. */
export function readOptions(args: readonly string[]): Options | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const only = values.only?.split(',') ?? all;
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 10));
  const warmUpPieces = Number(values['warm-up'] ?? (values.quick ? 0 : 5000));
  const amount = { only, rounds, warmUpPieces };
  return problemOf(values, amount) ?? optionsOf(values, amount);
}

type Values = ReturnType<typeof parse>;

interface Amount {
  readonly only: readonly string[];
  readonly rounds: number;
  readonly warmUpPieces: number;
}

function problemOf(values: Values, { only, rounds, warmUpPieces }: Amount): string | undefined {
  const unknown = only.find((name) => !all.includes(name));
  if (unknown !== undefined) return `There is no scenario "${unknown}".`;
  if (values.check && values['write-baseline']) return 'Give one of --check and --write-baseline.';
  if (values.table !== undefined && values.table !== 'growth') return `There is no table "${values.table}".`;
  if (!Number.isInteger(rounds) || rounds < 1)
    return `--rounds takes a whole number from 1 on, not "${values.rounds}".`;
  if (!Number.isInteger(warmUpPieces) || warmUpPieces < 0)
    return `--warm-up takes a whole number from 0 on, not "${values['warm-up']}".`;
  return undefined;
}

function optionsOf(values: Values, { only, rounds, warmUpPieces }: Amount): Options {
  const written = values['write-baseline'] ? 'write' : undefined;
  return {
    scenarios: scenarioNames.filter((name) => only.includes(name)),
    kept: keptNames.filter((name) => only.includes(name)),
    idle: idleNames.filter((name) => only.includes(name)),
    httpStarts: httpStartNames.filter((name) => only.includes(name)),
    workerStart: only.includes('workerStart'),
    hugeMap: only.includes('hugeMap'),
    recall: only.includes('recall'),
    render: only.includes('render'),
    encode: only.includes('encode'),
    peers: values.peers,
    baseline: values.check ? 'check' : written,
    growth: values.table === 'growth',
    rounds,
    warmUpPieces,
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
      'warm-up': { type: 'string' },
      only: { type: 'string' },
      table: { type: 'string' },
      peers: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      'write-baseline': { type: 'boolean', default: false },
    },
  }).values;
