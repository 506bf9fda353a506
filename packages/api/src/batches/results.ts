import { textOf } from '@millrace/core';
import type { BatchLine, TenantRuntime } from '@millrace/runtime';
import type { BatchRow } from './batch.ts';
import { batchRowOf, workIn } from './batch.ts';

/** Number of runs that are read at a time. */
const atOnce = 20;

/** Returns rows with their inputs and the outputs of their runs. */
export async function resultsOf(tenant: TenantRuntime, lines: readonly BatchLine[]): Promise<BatchRow[]> {
  const results: BatchRow[] = [];
  for (let from = 0; from < lines.length; from += atOnce) {
    const some = await Promise.all(lines.slice(from, from + atOnce).map((line) => resultOf(tenant, line)));
    for (const one of some) results.push(one);
  }
  return results;
}

async function resultOf(tenant: TenantRuntime, line: BatchLine): Promise<BatchRow> {
  const row = batchRowOf(line);
  if (row.status === 'invalid') return row;
  const { input, vars } = workIn(line);
  const run = row.runId === undefined ? undefined : await tenant.run(row.runId).describe('head');
  const output = run?.output === undefined ? null : textOf(run.output);
  return { ...row, input, ...(vars === undefined ? {} : { vars: { ...vars } }), output };
}
