import type { Vocabulary } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Case } from './case.ts';
import { compareTrace } from './compare/compare.ts';
import type { Difference } from './compare/compare-messages.ts';
import type { Engine } from './engines/engine.ts';
import type { Feature } from './engines/features.ts';
import { featuresIn, featuresInFile } from './engines/features.ts';
import type { Preparation } from './prepare.ts';
import { prepare } from './prepare.ts';

/** Result of a case on an engine. */
export type Judgement =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly difference: string }
  /** It differs, and the list of deliberate differences says why. */
  | { readonly status: 'deliberate'; readonly difference: string }
  | { readonly status: 'unsupported'; readonly feature: Feature };

/** Settings for judging cases. */
export interface Court {
  readonly vocabulary: Vocabulary;
  readonly engine: Engine;
  /** Names of the cases that are meant to differ. */
  readonly deliberate: ReadonlySet<string>;
  readonly timeoutMs: number;
}

/** Runs a case and compares it with what was recorded. */
export async function judge(golden: Case, court: Court): Promise<Judgement> {
  try {
    const preparation = prepare(golden, court.vocabulary);
    const feature = missing(golden, preparation, court.engine);
    if (golden.expected.kind === 'invalid') {
      const judgement = verdict(golden, court, validity(golden, preparation));
      return judgement.status === 'failed' && feature !== undefined ? { status: 'unsupported', feature } : judgement;
    }
    if (feature !== undefined) return { status: 'unsupported', feature };
    return verdict(golden, court, await behaviour(golden, court, preparation));
  } catch (error) {
    return {
      status: 'failed',
      difference: `crash: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
    };
  }
}

function verdict({ name }: Case, { deliberate }: Court, difference: Difference): Judgement {
  if (!deliberate.has(name)) return difference === undefined ? { status: 'passed' } : { status: 'failed', difference };
  return difference === undefined
    ? { status: 'failed', difference: 'it is on the list of deliberate differences, but does not differ' }
    : { status: 'deliberate', difference };
}

function missing(golden: Case, preparation: Preparation, { lacks }: Engine): Feature | undefined {
  const inGraphs = preparation.type === 'ready' ? featuresIn(preparation.prepared.workflow) : [];
  const inTask: readonly Feature[] = golden.attachments.length === 0 ? [] : ['attachments'];
  return [...featuresInFile(golden.workflowFile), ...inGraphs, ...inTask].find((feature) => lacks.includes(feature));
}

function validity(golden: Case, preparation: Preparation): Difference {
  const runs = golden.expected.stage_reached === 'done';
  if (preparation.type === 'ready')
    return runs ? undefined : 'expected the workflow to be refused, but it was accepted';
  return runs
    ? `expected the workflow to be accepted, but it was refused: ${preparation.issues[0]?.message}`
    : undefined;
}

async function behaviour(golden: Case, { engine, timeoutMs }: Court, preparation: Preparation): Promise<Difference> {
  if (preparation.type === 'refused') {
    const failed = golden.expected.error !== null && golden.expected.error !== undefined;
    const [issue] = preparation.issues;
    return failed ? undefined : `refused: ${issue?.code} ${issue?.path}: ${issue?.message}`;
  }
  const trace = await withinTime(timeoutMs, (signal) => engine.run(preparation.prepared, signal).catch(refusalOf));
  if (trace instanceof RequestError) return golden.expected.error ? undefined : `refused: ${trace.message}`;
  return trace === undefined ? `still running after ${timeoutMs} ms` : compareTrace(golden.expected, trace);
}

/** The engine may refuse to start a run; anything else that it throws is a crash. */
function refusalOf(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  throw error;
}

/** Gives undefined when the time is up. Its timer keeps the process alive, so that a case that hangs fails as one. */
async function withinTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      over.abort();
      resolve(undefined);
    }, ms);
  });
  try {
    return await Promise.race([work(over.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
