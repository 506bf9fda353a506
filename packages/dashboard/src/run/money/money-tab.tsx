import type { Run } from '@millrace/client';
import { useParams } from '@tanstack/react-router';
import classes from '../../kit/layout/table.module.css';
import { Empty } from '../../kit/states/empty.tsx';
import { BudgetBar } from '../../kit/values/budget-bar.tsx';
import { formatCount, formatMoney } from '../../kit/values/format.ts';
import { useRun } from '../use-run.ts';

/** Costs of a run by node, and its budget. */
export function MoneyTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data } = useRun(run);
  if (data === undefined) return null;
  const nodes = Object.entries(data.usageByNode).sort(([, one], [, other]) => costOf(other) - costOf(one));
  if (nodes.length === 0) return <Empty title="No node of this run has asked a model." />;
  return (
    <>
      {data.budget !== null && (
        <p>
          <BudgetBar budget={data.budget} />
        </p>
      )}
      <table className={classes['table']}>
        <thead>
          <tr>
            {['Node', 'Calls', 'Prompt tokens', 'Cached', 'Answer tokens', 'Cost', 'Without price'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map(([node, usage]) => (
            <UsageRow key={node} name={node} usage={usage} />
          ))}
        </tbody>
        <tfoot>
          <UsageRow name="All nodes" usage={data.usage} />
        </tfoot>
      </table>
    </>
  );
}

const costOf = ({ microUsd = 0, promptTokens }: Run['usage']): number => microUsd * 1e9 + promptTokens;

const UsageRow = ({ name, usage }: { readonly name: string; readonly usage: Run['usage'] }) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{formatCount(usage.calls)}</td>
    <td>{formatCount(usage.promptTokens)}</td>
    <td>{formatCount(usage.cachedTokens ?? 0)}</td>
    <td>{formatCount(usage.completionTokens)}</td>
    <td>{usage.microUsd === undefined ? '–' : formatMoney(usage.microUsd)}</td>
    <td>{usage.unpriced === undefined ? '–' : formatCount(usage.unpriced)}</td>
  </tr>
);
