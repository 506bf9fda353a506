import { formatDollars } from '@millrace/core';
import type { RunSummary } from '@millrace/runtime';
import { columns } from './columns.ts';

/** Runs as aligned columns. */
export function runsTable(runs: readonly RunSummary[]): string {
  return columns(
    ['RUN', 'WORKFLOW', 'STATUS', 'STARTED', 'DURATION', 'TOKENS', 'COST'],
    runs.map(({ run, workflow, status, startedAt, finishedAt, usage }) => [
      run,
      workflow,
      status,
      new Date(startedAt).toISOString(),
      finishedAt === undefined ? '' : `${((finishedAt - startedAt) / 1000).toFixed(1)}s`,
      usage === undefined ? '' : String(usage.promptTokens + usage.completionTokens),
      usage?.microUsd === undefined ? '' : formatDollars(usage.microUsd),
    ]),
  );
}
