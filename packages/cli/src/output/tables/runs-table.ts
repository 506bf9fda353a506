import type { RunLine } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { tokensOf } from '@millrace/core/usage';
import { columns } from './columns.ts';

/** Returns runs as aligned columns. */
export function runsTable(runs: readonly RunLine[]): string {
  return columns(
    ['RUN', 'WORKFLOW', 'STATUS', 'STARTED', 'DURATION', 'TOKENS', 'COST'],
    runs.map(({ runId, workflow, status, startedAt, finishedAt, usage }) => [
      runId,
      workflow,
      status,
      new Date(startedAt).toISOString(),
      finishedAt === undefined ? '' : `${((finishedAt - startedAt) / 1000).toFixed(1)}s`,
      usage === undefined ? '' : String(tokensOf(usage)),
      usage?.microUsd === undefined ? '' : formatDollars(usage.microUsd),
    ]),
  );
}
