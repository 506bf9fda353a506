import type { Decision, Origin, RecordKey, RunId, RunRecord, StateView } from '@millrace/core';
import type { Commit, RunStatus, RunSummary } from './port.ts';

/** How people are told where a run stands. A run that is failing runs until nothing is at work any more. */
export function statusOf({ status, live, waiting }: RunRecord): RunStatus {
  if (status === 'failing') return 'running';
  return status === 'running' && live > 0 && live === waiting ? 'waiting' : status;
}

/** Whether somebody can answer something. A run that stops or fails has withdrawn its questions. */
const isAsking = ({ status, waiting }: RunRecord): boolean =>
  waiting > 0 && (status === 'running' || status === 'paused');

/** One line about a run. */
export function summaryOf(run: RunId, record: RunRecord, { workflow, tags }: Origin): RunSummary {
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
  };
}

/** What lists of runs show after a decision, and what they show so far; nothing when that is the same. */
export function summarise(
  { run, state }: { readonly run: RunId; readonly state: Pick<StateView, 'get'> },
  { writes }: Decision,
): Pick<Commit, 'summary' | 'formerly' | 'asking'> {
  const written = <T>(key: RecordKey): T | undefined => {
    const write = writes.find((one) => one.key === key);
    return write?.type === 'set' ? (write.value as T) : undefined; // the record under this key
  };
  const after = written<RunRecord>('run');
  if (after === undefined) return {};
  const before = state.get('run');
  const formerly = before === undefined ? undefined : statusOf(before);
  const asked = before !== undefined && isAsking(before);
  const asking = asked === isAsking(after) ? {} : ({ asking: asked ? 'ended' : 'began' } as const);
  if (formerly === statusOf(after) && asking.asking === undefined) return {};
  const origin = state.get('origin') ?? written<Origin>('origin') ?? { workflow: '' };
  return { summary: summaryOf(run, after, origin), ...(formerly === undefined ? {} : { formerly }), ...asking };
}
