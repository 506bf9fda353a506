import type { Decision, Plan, RunId, RunRecord } from '@millrace/core';
import type { RunStatus, RunSummary } from './store/port.ts';

/** How people are told where a run stands. A run that is failing runs until nothing is at work any more. */
export function statusOf({ status, live, waiting }: RunRecord): RunStatus {
  if (status === 'failing') return 'running';
  return status === 'running' && live > 0 && live === waiting ? 'waiting' : status;
}

/** One line about a run. */
export function summaryOf(run: RunId, record: RunRecord, plan: Plan | undefined): RunSummary {
  return {
    run,
    workflow: plan?.graphs.get('')?.id ?? '',
    plan: record.plan,
    status: statusOf(record),
    startedAt: record.startedAt,
    ...(record.finishedAt === undefined ? {} : { finishedAt: record.finishedAt }),
  };
}

/** What lists of runs show after a decision; undefined when it is what they show already. */
export function summarise(
  cell: {
    readonly run: RunId;
    readonly plan: Plan | undefined;
    readonly state: { get(key: 'run'): RunRecord | undefined };
  },
  { writes }: Decision,
): RunSummary | undefined {
  const write = writes.find(({ key }) => key === 'run');
  if (write?.type !== 'set') return undefined;
  const after = write.value as RunRecord; // the record under this key
  const before = cell.state.get('run');
  if (before !== undefined && statusOf(before) === statusOf(after)) return undefined;
  return summaryOf(cell.run, after, cell.plan);
}
