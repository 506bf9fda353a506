import { formatDollars, textOf, tokensOf } from '@millrace/core';
import type { Expectations } from '../files/expectations.ts';
import type { TestPath } from '../files/read-test-file.ts';
import { checkCount, checkGraph } from './check-graph.ts';
import { checkText } from './check-text.ts';
import type { Mismatch } from './mismatch.ts';
import { counted, quoted } from './mismatch.ts';
import type { Outcome } from './outcome.ts';

/** Returns everything in which a run does not meet the expectations of its test. */
export async function checkRun(expected: Expectations, outcome: Outcome): Promise<readonly Mismatch[]> {
  const groups = await Promise.all([
    checkStatus(expected, outcome),
    checkOutput(expected, outcome),
    checkGraph(expected, outcome),
    checkError(expected, outcome),
    checkStop(expected, outcome),
    checkWarnings(expected, outcome),
    checkUsage(expected, outcome),
    checkTime(expected, outcome),
  ]);
  return groups.flat();
}

/** Returns the status that a test expects. */
export function expectedStatus({ status, error, stop }: Expectations): NonNullable<Expectations['status']> {
  if (status !== undefined) return status;
  if (error !== undefined) return 'failed';
  return stop === undefined ? 'completed' : 'terminated';
}

function checkStatus(expected: Expectations, { description }: Outcome): readonly Mismatch[] {
  const wanted = expectedStatus(expected);
  const { status, error, stop, tasks } = description;
  if (status === wanted) return [];
  const reasons = [
    ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
    ...(stop === undefined ? [] : [stop.text]),
    ...tasks.map(({ node, wait }) => `"${node}" asks ${quoted(wait.prompt)}`),
  ];
  const found = [status, ...reasons].join('; ');
  const actual = expected.status === undefined ? {} : { actual: status };
  const activation = error?.activation === undefined ? {} : { activation: error.activation };
  return [{ path: ['expect', 'status'], expected: wanted, found, ...actual, ...activation }];
}

async function checkOutput({ output }: Expectations, { description }: Outcome): Promise<readonly Mismatch[]> {
  const path = ['expect', 'output'];
  if (output === undefined) return [];
  if (description.output === undefined) return [{ path, expected: 'an output', found: 'none' }];
  return checkText(output, textOf(description.output), path);
}

async function checkError({ error }: Expectations, { description, nodeOf }: Outcome): Promise<readonly Mismatch[]> {
  const path = ['expect', 'error'];
  if (error === undefined) return [];
  const found = description.error;
  if (found === undefined) return [{ path, expected: 'an error', found: 'none' }];
  if (typeof error === 'string')
    return checkName(error, found.code, { path, shown: `${found.code}: ${found.message}` });
  const node = found.activation === undefined ? undefined : nodeOf(found.activation);
  const at = (field: string): TestPath => [...path, field];
  const groups = await Promise.all([
    checkName(error.code, found.code, { path: at('code'), shown: `${found.code}: ${found.message}` }),
    checkName(error.node, node, { path: at('node'), shown: node ?? 'no node' }),
    error.message === undefined ? [] : checkText(error.message, found.message, at('message')),
  ]);
  return groups.flat();
}

/** Returns what a name does not meet; an absent expectation is always met. */
function checkName(
  expected: string | undefined,
  found: string | undefined,
  { path, shown }: { readonly path: TestPath; readonly shown: string },
): readonly Mismatch[] {
  if (expected === undefined || expected === found) return [];
  return [{ path, expected, found: shown, ...(found !== undefined && { actual: found }) }];
}

function checkStop({ stop }: Expectations, { description }: Outcome): readonly Mismatch[] {
  const found = description.stop;
  const shown = found === undefined ? 'no stop' : `${found.code}: ${found.text}`;
  return checkName(stop, found?.code, { path: ['expect', 'stop'], shown });
}

function checkWarnings({ warnings }: Expectations, outcome: Outcome): readonly Mismatch[] {
  if (warnings === undefined) return [];
  const given = new Set(outcome.warnings);
  const found = given.size === 0 ? 'no warnings' : [...given].join(', ');
  const path = ['expect', 'warnings'];
  const others = [...given].filter((code) => !warnings.includes(code));
  return [
    ...warnings.flatMap((code, index) => (given.has(code) ? [] : [{ path: [...path, index], expected: code, found }])),
    ...(others.length === 0 ? [] : [{ path, expected: `no ${others.join(', ')}`, found }]),
  ];
}

/** The usage that a replay has taken from its recording counts. */
function checkUsage({ usage = {} }: Expectations, { description }: Outcome): readonly Mismatch[] {
  const used = [description.usage, ...(description.recorded === undefined ? [] : [description.recorded])];
  const sum = (of: (one: (typeof used)[number]) => number): number => used.reduce((total, one) => total + of(one), 0);
  const path = ['expect', 'usage'];
  const { max_usd: mostUsd = Number.POSITIVE_INFINITY, max_tokens: mostTokens = Number.POSITIVE_INFINITY } = usage;
  const spent = sum((one) => one.microUsd ?? 0);
  const tokens = sum(tokensOf);
  return [
    ...checkCount(
      usage.calls,
      sum((one) => one.calls),
      { path: [...path, 'calls'], unit: 'call' },
    ),
    ...(spent <= mostUsd * 1_000_000
      ? []
      : [{ path: [...path, 'max_usd'], expected: `at most $${mostUsd}`, found: formatDollars(spent) }]),
    ...(tokens <= mostTokens
      ? []
      : [
          {
            path: [...path, 'max_tokens'],
            expected: `at most ${counted(mostTokens, 'token')}`,
            found: counted(tokens, 'token'),
          },
        ]),
  ];
}

function checkTime({ time = {} }: Expectations, { description, journal }: Outcome): readonly Mismatch[] {
  const { at_least: least = 0, at_most: most = Number.POSITIVE_INFINITY } = time;
  const end = description.finishedAt ?? journal.at(-1)?.at ?? description.startedAt;
  const took = end - description.startedAt;
  const path = ['expect', 'time'];
  if (took < least)
    return [{ path: [...path, 'at_least'], expected: `at least ${lengthOf(least)}`, found: lengthOf(took) }];
  if (took > most)
    return [{ path: [...path, 'at_most'], expected: `at most ${lengthOf(most)}`, found: lengthOf(took) }];
  return [];
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** Returns a length of time in its largest fitting unit, such as `26.5h`. */
function lengthOf(ms: number): string {
  const [unit, size] = units.find(([, least]) => ms >= least) ?? ['ms', 1];
  return `${Math.round((ms / size) * 100) / 100}${unit}`;
}
