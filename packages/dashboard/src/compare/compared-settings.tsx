import type { Run } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { LineChanges } from '../kit/text/text-diff.tsx';
import { formatMoney } from '../kit/values/format.ts';
import { runWorkflowQuery } from '../run/follow/run-queries.ts';
import { Verdict } from './verdict.tsx';

interface ComparedSettingsProps {
  readonly runA: Run;
  readonly runB: Run;
}

/** Settings of two runs: variables, budgets and tags in a table, and the changes in the text of the workflow. */
export function ComparedSettings({ runA, runB }: ComparedSettingsProps) {
  const { data: a, error: errorA } = useWorkflow(runA.runId);
  const { data: b, error: errorB } = useWorkflow(runB.runId);
  const error = errorA ?? errorB;
  if (error !== null) return <Problem error={error} />;
  if (a === undefined || b === undefined) return <Skeleton rows={12} />;
  const names = [...new Set([...Object.keys(a.vars), ...Object.keys(b.vars)])];
  const rows: readonly Setting[] = [
    {
      name: 'Workflow',
      a: `${a.name}@${(a.hash ?? runA.plan).slice(0, 12)}`,
      b: `${b.name}@${(b.hash ?? runB.plan).slice(0, 12)}`,
    },
    { name: 'Task', a: runA.title ?? '', b: runB.title ?? '' },
    { name: 'Budget', a: budgetOf(runA), b: budgetOf(runB) },
    { name: 'Tags', a: runA.tags.join(', '), b: runB.tags.join(', ') },
    ...names.map((name) => ({ name, a: textOf(a.vars[name]), b: textOf(b.vars[name]) })),
  ];
  return (
    <>
      <DataTable
        label="Settings"
        rows={rows}
        idOf={({ name }) => name}
        columns={[
          { title: 'Setting', cell: ({ name }) => name },
          { title: 'A', cell: (row) => row.a || '–' },
          { title: 'B', cell: (row) => row.b || '–' },
          { title: 'Compared', cell: (row) => <Verdict of={row.a === row.b ? 'same' : 'changed'} /> },
        ]}
      />
      <h2>Text of the workflow</h2>
      {a.yaml === null || b.yaml === null ? (
        <p>One of the runs was started without the text of its workflow.</p>
      ) : a.yaml === b.yaml ? (
        <p>Both runs have the same text.</p>
      ) : (
        <LineChanges before={a.yaml} after={b.yaml} />
      )}
    </>
  );
}

interface Setting {
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

const useWorkflow = (run: string) => useQuery(runWorkflowQuery(run));

function budgetOf({ budget }: Run): string {
  if (budget === null) return '';
  const { tokens, microUsd } = budget.limit;
  return [microUsd === undefined ? '' : formatMoney(microUsd), tokens === undefined ? '' : `${tokens} tokens`]
    .filter((part) => part !== '')
    .join(', ');
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
