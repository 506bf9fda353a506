import { createHash } from 'node:crypto';
import type { Message } from '@millrace/core';
import { NodeError, oversizeProblem, storedUnits } from '@millrace/core';
import { inSlices, UnrecoverableRunError } from '@millrace/runtime';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import { AttemptInterrupted, AttemptPostponed } from '../context/interrupted.ts';
import type { ExecutionResult } from '../execute/execution-result.ts';
import type { StoredInput } from '../route/body-collector.ts';
import { BodyCollector, storedInput } from '../route/body-collector.ts';

type Split = Extract<ExecutionResult, { type: 'split' }>;

/**
 * Stores the units of a large fan-out part by part, and returns the result with the last part. The units that an earlier attempt
 * has stored are not stored again if they are the same.
 */
export async function storeUnits(attempt: ActivationAttempt, split: Split): Promise<Split> {
  const { units } = split;
  const { unitsPerCommit } = attempt.worker.runs.limits;
  const cut = await cutOf(attempt, units);
  const stored = await storedInput(attempt.context.input, attempt.context.refs);
  for (;;) {
    const count = await storedOf(attempt, cut);
    const rest = units.length - count;
    if (rest <= unitsPerCommit) return { ...split, before: { count, cut }, units: units.slice(count) };
    await storePart(attempt, { stored, before: { count, cut }, units: units.slice(count, count + unitsPerCommit) });
  }
}

/** Returns a hash of the input of an activation, and of its units: another attempt may cut the same input into others. */
async function cutOf({ context: { refs } }: ActivationAttempt, units: readonly Message[]): Promise<string> {
  const hash = createHash('sha256').update(`${units.length}`);
  await inSlices(refs, ({ id }) => hash.update(` ${id}`));
  await inSlices(units, (unit) => hash.update(JSON.stringify(unit)));
  return hash.digest('hex').slice(0, 32);
}

async function storedOf({ worker: { runs }, wake }: ActivationAttempt, cut: string): Promise<number> {
  const { run, activation, token } = wake;
  const open = await reach(run, runs.open(run, activation, token));
  if (open === undefined) throw new AttemptInterrupted(`there is no run ${run} any more`);
  return storedUnits(open.state, activation, cut);
}

interface Part {
  readonly stored: StoredInput;
  readonly before: { readonly count: number; readonly cut: string };
  readonly units: readonly Message[];
}

async function storePart({ worker, wake, context }: ActivationAttempt, { stored, before, units }: Part): Promise<void> {
  const { run, activation, token } = wake;
  const collector = new BodyCollector(stored);
  const added = units.map((unit) => collector.add(unit));
  const problem = oversizeProblem(collector.bodies, `What node "${context.node?.id ?? ''}" is split into`);
  if (problem !== undefined) throw new NodeError('MESSAGE_TOO_LARGE', problem);
  const bodies = worker.mask.hideIn(collector.bodies);
  const command = { type: 'units.store', activation, token, before, units: added, bodies } as const;
  const verdict = await reach(run, worker.runs.submit(run, command));
  // A scope that is stopping drops an activation that is not done; one that has been resumed meanwhile executes it again.
  if (verdict.type === 'refused' && verdict.code === 'SCOPE_STOPPING') throw new AttemptPostponed(worker.runs.now());
  // Another attempt has stored units meanwhile: the next look finds them.
  if (verdict.type === 'refused' && verdict.code !== 'UNITS_MOVED') throw new AttemptInterrupted(verdict.message);
}

/** Joins the units of a large fan-out part by part, up to the last part, which the result of the attempt joins. */
export async function joinUnits({ worker: { runs }, wake }: ActivationAttempt): Promise<void> {
  const { run, activation, token } = wake;
  for (;;) {
    const verdict = await reach(run, runs.submit(run, { type: 'units.join', activation, token }));
    if (verdict.type === 'accepted') continue;
    if (verdict.code === 'UNITS_JOINED') return;
    // As for units that are stored.
    if (verdict.code === 'SCOPE_STOPPING') throw new AttemptPostponed(runs.now());
    throw new AttemptInterrupted(verdict.message);
  }
}

/** An unreachable run is never the node's failure; a commit that is too large is. */
async function reach<T>(run: string, asked: T | Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof UnrecoverableRunError) throw error;
    throw new AttemptInterrupted(`run ${run} could not be reached`, error);
  }
}
