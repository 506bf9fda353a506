import type { ModelUsage, Run } from '@millrace/client';
import { usageByNode } from '@millrace/core/projection';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { BudgetBar } from '../../kit/values/budget-bar.tsx';
import { formatDuration, formatMoney } from '../../kit/values/format.ts';
import { useServerNow } from '../../kit/values/use-now.ts';
import { PastBand } from '../conversation/past-band.tsx';
import { useGraphs } from '../use-graphs.ts';
import { useProjection } from '../use-projection.ts';
import { useRun } from '../use-run.ts';
import { billOf, burnOf, sumOf, timeLeft, usageOfGraphs } from './bill.ts';
import { BillTable } from './bill-table.tsx';
import classes from './money.module.css';
import { RaiseBudget } from './raise-budget.tsx';
import { useInherited } from './use-inherited.ts';
import { useLastCalls } from './use-last-calls.ts';

/** Costs of a run by graph, node, activation and call, and its budget: now, or after an event. */
export function MoneyTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { at } = useSearch({ from: '/runs/$run/money' });
  const navigate = useNavigate({ from: '/runs/$run/money' });
  const { data: facts } = useRun(run);
  if (facts === undefined) return <Skeleton rows={6} />;
  if (at === undefined) return <Money run={facts} usage={facts.usageByNode} budget={facts.budget} isPast={false} />;
  return (
    <>
      <PastBand run={run} at={at} leave={() => void navigate({ search: {} })} />
      <PastMoney run={facts} at={at} />
    </>
  );
}

/** The same after an event. */
function PastMoney({ run, at }: { readonly run: Run; readonly at: string }) {
  const projection = useProjection(run.runId, at);
  const { data, isPlaceholderData } = useGraphs(run.runId, { isUnfolded: projection === undefined, at });
  if (projection !== undefined)
    return <Money run={run} usage={usageByNode(projection)} budget={projection.budget ?? null} isPast />;
  if (data === undefined || isPlaceholderData) return <Skeleton rows={6} />;
  return <Money run={run} usage={usageOfGraphs(data)} budget={data.budget ?? null} isPast />;
}

interface MoneyProps {
  readonly run: Run;
  /** By the paths of nodes. */
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly budget: Run['budget'];
  readonly isPast: boolean;
}

function Money({ run, usage, budget, isPast }: MoneyProps) {
  const bill = useMemo(() => billOf(usage), [usage]);
  const total = sumOf(bill.map((graph) => graph.usage));
  const { unpriced = 0 } = total;
  return (
    <>
      <div className={classes['facts']}>
        {budget !== null && <BudgetBar budget={budget} />}
        {!isPast && run.status === 'running' && <Burn run={run} />}
        <Inherited run={run} />
        {run.origin?.type === 'replay' && <span>A replay reads answers from the journal: they cost nothing</span>}
        {unpriced > 0 && (
          <span className={classes['warning']}>
            {unpriced === 1 ? '1 call is' : `${unpriced} calls are`} not in the cost: the price of the model is not
            known
          </span>
        )}
      </div>
      {!isPast && run.budget !== null && <RaiseBudget run={run} budget={run.budget} />}
      {bill.length === 0 ? (
        <Empty title="No node of this run has asked a model." />
      ) : (
        <BillTable run={run.runId} bill={bill} total={total} isPast={isPast} />
      )}
    </>
  );
}

/** ModelUsage that a fork has not caused itself. */
function Inherited({ run }: { readonly run: Run }) {
  const { data } = useInherited(run);
  if (data == null || run.origin === undefined) return null;
  return (
    <span>
      {formatMoney(data.microUsd ?? 0)} of it was inherited from{' '}
      <Link to="/runs/$run/money" params={{ run: run.origin.of }}>
        {run.origin.of}
      </Link>{' '}
      and is not paid again
    </span>
  );
}

/** Spending of the run per minute, and the time at which its budget ends at this rate. */
function Burn({ run: { runId, startedAt, budget } }: { readonly run: Run }) {
  const now = useServerNow();
  const { data } = useLastCalls(runId, startedAt);
  const burn = data && burnOf(data, now);
  if (burn === undefined || burn.tokens === 0) return null;
  const left = budget === null ? undefined : timeLeft(budget, burn);
  return (
    <span>
      {formatMoney(burn.microUsd)} and {Math.round(burn.tokens)} tokens per minute
      {left !== undefined && `; at this rate the budget ends in ${formatDuration(left)}`}
    </span>
  );
}
