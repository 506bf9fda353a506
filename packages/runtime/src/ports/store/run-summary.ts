import type { BudgetRecord, Decision, Origin, RecordKey, RunId, RunRecord, RunStatus, StateView } from '@millrace/core';
import type { Commit, RunOrigin, RunSummary } from './port.ts';

/**
 * Returns the status of a run for display. A run that is failing counts as running until no activation is executing.
 */
export function statusOf({ status, live, waiting }: RunRecord): RunStatus {
  if (status === 'failing') return 'running';
  return status === 'running' && live > 0 && live === waiting ? 'waiting' : status;
}

/** Returns whether a run has questions that can be answered. A run that stops or fails has withdrawn its questions. */
const isAsking = ({ status, waiting, listening = 0 }: RunRecord): boolean =>
  waiting > listening && (status === 'running' || status === 'paused');

/** The records that the line of a run is made of. */
interface SummarySource {
  readonly record: RunRecord;
  readonly origin: Origin | undefined;
  readonly budget: BudgetRecord | undefined;
}

/** One line about a run. */
export function summaryOf(run: RunId, { record, origin, budget }: SummarySource): RunSummary {
  const { workflow, title, tags, definition, expiresAt } = origin ?? { workflow: '' };
  const source = origin && sourceOf(origin);
  return {
    run,
    workflow,
    plan: record.plan,
    status: statusOf(record),
    startedAt: record.startedAt,
    ...(record.finishedAt === undefined ? {} : { finishedAt: record.finishedAt }),
    ...(tags === undefined ? {} : { tags }),
    ...(isAsking(record) ? { asks: true } : {}),
    ...(record.usage.calls === 0 ? {} : { usage: record.usage }),
    ...(title === undefined ? {} : { title }),
    ...(definition === undefined ? {} : { version: definition.hash }),
    ...(record.error === undefined ? {} : { error: { code: record.error.code } }),
    ...(record.stop === undefined ? {} : { stopCode: record.stop.code }),
    ...(source === undefined ? {} : { origin: source }),
    ...(budget === undefined ? {} : { budget: { limit: budget.limit, spent: budget.spent } }),
    activations: record.activations,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** A fork keeps the records of the original run, so its own source comes first. */
function sourceOf({ fork, replay, batch, startedBy }: Origin): RunOrigin | undefined {
  if (fork !== undefined) return { type: 'fork', of: fork.run };
  if (replay !== undefined) return { type: 'replay', of: replay.run };
  if (batch !== undefined) return { type: 'batch', of: batch.batch };
  return startedBy;
}

/** What a commit changes in lists of runs. */
type ListChange = Pick<Commit, 'summary' | 'formerly' | 'asking'>;

const noChange: ListChange = {};

/** Returns the summary of a run after a decision, and the previous status; undefined when nothing has changed. */
export function summarise(
  { run, state }: { readonly run: RunId; readonly state: Pick<StateView, 'get'> },
  { writes }: Decision,
): ListChange {
  const written = <T>(key: RecordKey): T | undefined => {
    const write = writes.find((one) => one.key === key);
    return write?.type === 'set' ? (write.value as T) : undefined; // the record under this key
  };
  const after = written<RunRecord>('run');
  if (after === undefined) return noChange;
  const before = state.get('run');
  const formerly = before === undefined ? undefined : statusOf(before);
  const asked = before !== undefined && isAsking(before);
  const asking = asked === isAsking(after) ? undefined : asked ? 'ended' : 'began';
  if (formerly === statusOf(after) && asking === undefined) return noChange;
  const origin = written<Origin>('origin') ?? state.get('origin');
  const budget = written<BudgetRecord>('budget') ?? state.get('budget');
  return { summary: summaryOf(run, { record: after, origin, budget }), formerly, asking };
}
