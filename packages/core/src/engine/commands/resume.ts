import { advanceAll } from '../advance.ts';
import type { Command } from '../command.ts';
import type { Deciding } from '../deciding.ts';
import { hasEnded, isAtWork, isWaiting } from '../live.ts';
import { activationsOf, runOf } from '../lookup.ts';
import type { ActivationRecord, RunRecord } from '../records.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from '../refusal.ts';
import { setTimeoutAlarm } from './alarm.ts';

/** Goes on with a run that was paused, stopped or failed, from where it stood. */
export function resume(deciding: Deciding, command: Extract<Command, { type: 'resume' }>): Refusal | undefined {
  const { status } = runOf(deciding.draft);
  if (status !== 'paused' && status !== 'terminated' && status !== 'failed')
    return refuse(
      'RUN_NOT_STOPPED',
      `${cannot[status]} Only a run that is paused, terminated or failed can be resumed.`,
    );
  const { budget } = command;
  const limit = deciding.draft.get('budget')?.limit;
  if (budget !== undefined) deciding.emit({ type: 'run.budgeted', budget: { ...limit, ...budget } });
  goOn(deciding);
  return tell(deciding, command);
}

/** Goes on with a run that has failed, from what failed. */
export function retry(deciding: Deciding): Refusal | undefined {
  const { status } = runOf(deciding.draft);
  if (status !== 'failed')
    return refuse('RUN_NOT_FAILED', `Only a run that has failed can be retried; this one is ${status}.`);
  goOn(deciding);
  return undefined;
}

const cannot: Readonly<Record<Exclude<RunRecord['status'], 'paused' | 'terminated' | 'failed'>, string>> = {
  running: 'The run goes on already.',
  stopping: 'The run is still stopping: something is at work.',
  failing: 'The run is still failing: something is at work.',
  completed: 'The run was completed.',
  cancelled: 'The run was cancelled.',
};

function goOn(deciding: Deciding): void {
  const { draft, emit, nonce } = deciding;
  const run = runOf(draft);
  const anew = hasEnded(run);
  emit({ type: 'run.resumed', segment: anew ? run.segment + 1 : run.segment, token: nonce });
  if (anew) setTimeoutAlarm(deciding);
  advanceAll(deciding);
}

/** Whether what is told to it reaches its node: it takes its input from the node's inbox, and nobody has taken it yet. */
const listens = (record: ActivationRecord): boolean =>
  !isAtWork(record) && !isWaiting(record) && record.node >= 0 && (record.part === 'whole' || record.part === 'open');

function tell({ draft, emit, refOf }: Deciding, { task }: Extract<Command, { type: 'resume' }>): Refusal | undefined {
  if (task.length === 0) return undefined;
  const activations = [...activationsOf(draft)].flatMap(([id, record]) => (listens(record) ? [id] : []));
  if (activations.length === 0)
    return refuse('RUN_NOT_LISTENING', 'Nothing in the run takes further input; resume it without any.');
  emit({ type: 'run.told', activations, messages: task.map(refOf) });
  return undefined;
}
