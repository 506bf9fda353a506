import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVocabulary } from '@millrace/catalog';
import { oracleTools } from '../support/reference/oracle-tools.ts';
import type { Case } from './case.ts';
import { casesIn } from './case.ts';
import { deliberateDifferences } from './deliberate.ts';
import type { Engine } from './engines/engine.ts';
import { engineNames, openEngine } from './engines/engines.ts';
import type { Judgement } from './judge.ts';
import { judge } from './judge.ts';

const usage = `usage: npm run conformance -- [--cases DIR]... [--engine ${engineNames.join('|')}]... [--only TEXT] [--json]

Runs golden cases and compares everything that happened with what was recorded.
  --cases DIR     a folder with cases, however deep; default: the project's own and, beside the checkout, the recorded ones
  --engine NAME   default: memory and redis
  --only TEXT     only cases whose name contains TEXT
  --json          one line of JSON per case, then the counts; the text goes to stderr
`;

const recorded = ['../../../shared/conformance/cases', '../../../shared/conformance/demos'];

/** The folders of cases that are there when none is named. */
export const defaultFolders = (): readonly string[] =>
  ['cases', ...recorded]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .filter((folder) => existsSync(folder));

interface Result {
  readonly case: string;
  readonly engine: string;
  readonly judgement: Judgement;
}

/** The command line of the conformance suite; gives the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const values = flagsOf(args);
  const missing = values.cases?.find((folder) => !existsSync(folder));
  const wrong = values.wrong ?? (missing === undefined ? undefined : `there is no folder ${missing}`);
  if (wrong !== undefined) {
    process.stderr.write(`${wrong}\n${usage}`);
    return 2;
  }
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const cases = (values.cases ?? defaultFolders()).flatMap(casesIn).filter(({ name }) => name.includes(values.only));
  const results: Result[] = [];
  for (const name of values.engine ?? ['memory', 'redis']) {
    const engine = await openEngine(name);
    if (engine === undefined) {
      process.stderr.write(`unknown engine "${name}"\n${usage}`);
      return 2;
    }
    results.push(...(await runCases(cases, engine, values.json ? asJson : asText)));
    await engine.close();
  }
  if (values.json) process.stdout.write(`${JSON.stringify(counts(results))}\n`);
  (values.json ? process.stderr : process.stdout).write(summary(results));
  return counts(results).failed === 0 && results.length > 0 ? 0 : 1;
}

const options = {
  cases: { type: 'string', multiple: true },
  engine: { type: 'string', multiple: true },
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function flagsOf(args: readonly string[]) {
  try {
    return { ...parseArgs({ args: [...args], options }).values, wrong: undefined };
  } catch (error) {
    return {
      ...parseArgs({ args: [], options }).values,
      wrong: error instanceof Error ? error.message : String(error),
    };
  }
}

async function runCases(cases: readonly Case[], engine: Engine, print: (result: Result) => string): Promise<Result[]> {
  const vocabulary = createVocabulary({ tools: oracleTools });
  const deliberate = new Set(deliberateDifferences().map((entry) => entry.case));
  const results: Result[] = [];
  for (const golden of cases) {
    const judgement = await judge(golden, { vocabulary, engine, deliberate, timeoutMs: 60_000 });
    const result = { case: golden.name, engine: engine.name, judgement };
    process.stdout.write(print(result));
    results.push(result);
  }
  return results;
}

const asJson = (result: Result): string => `${JSON.stringify(result)}\n`;

function asText({ case: name, engine, judgement }: Result): string {
  return judgement.status === 'failed' ? `✗ ${name} (${engine})\n    ${judgement.difference}\n` : '';
}

function counts(results: readonly Result[]): Record<Judgement['status'], number> {
  const count = { passed: 0, failed: 0, deliberate: 0, unsupported: 0 };
  for (const { judgement } of results) count[judgement.status] += 1;
  return count;
}

function summary(results: readonly Result[]): string {
  const { passed, failed, deliberate, unsupported } = counts(results);
  const features = new Map<string, number>();
  for (const { judgement } of results) {
    if (judgement.status === 'unsupported') features.set(judgement.feature, (features.get(judgement.feature) ?? 0) + 1);
  }
  const needs = [...features].map(([feature, count]) => `${feature} ${count}`).join(', ');
  return [
    ...(unsupported > 0 ? [`${unsupported} not run, because they need what the engine lacks: ${needs}`] : []),
    ...(deliberate > 0 ? [`${deliberate} differ on purpose, see test/conformance/deliberate.json`] : []),
    `${passed} passed, ${failed} failed`,
    '',
  ].join('\n');
}
