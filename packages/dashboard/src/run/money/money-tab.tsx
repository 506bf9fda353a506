import type { ModelUsage, Run } from '@millrace/client';
import { usageByNode } from '@millrace/core/projection';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { BudgetBar } from '../../kit/values/budget-bar.tsx';
import { formatDuration, formatMoney } from '../../kit/values/format.ts';
import { recordedText } from '../../kit/values/recorded-text.ts';
import { useServerNow } from '../../kit/values/time.tsx';
import { PastBand } from '../conversation/past-band.tsx';
import { runQuery, useRun } from '../follow/run-queries.ts';
import { useGraphs } from '../follow/use-graphs.ts';
import { useProjection } from '../follow/use-projection.ts';
import type { LastCalls } from './bill.ts';
import { billOf, burnOf, sumOf, timeLeft, usageOfGraphs } from './bill.ts';
import { BillTable } from './bill-table.tsx';
import classes from './money.module.css';
import { useInherited } from './use-inherited.ts';

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
      <div className={`${classes['facts']} spaced row wrap muted`}>
        {budget !== null && <BudgetBar budget={budget} />}
        {!isPast && run.status === 'running' && <Burn run={run} />}
        <Inherited run={run} />
        {!isPast && run.recorded !== undefined && <span>{recordedText(run.recorded)}</span>}
        {unpriced > 0 && (
          <span className="ink" data-tone="waiting">
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

/** Usage that a fork has not caused itself. */
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

interface RaiseBudgetProps {
  readonly run: Run;
  readonly budget: NonNullable<Run['budget']>;
}

const resumable: ReadonlySet<Run['status']> = new Set(['paused', 'terminated', 'failed']);

/** Resumes a run with a larger budget. The new limit includes the amount that the run has already spent. */
function RaiseBudget({ run, budget: { limit } }: RaiseBudgetProps) {
  const isMoney = limit.microUsd !== undefined;
  const present = isMoney ? (limit.microUsd ?? 0) / 1_000_000 : (limit.tokens ?? 0);
  const budgetOf = (amount: number) => (isMoney ? { usd: amount } : { tokens: Math.round(amount) });
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (amount: number) => millrace.runs.get(run.runId).resume({ budget: budgetOf(amount) }),
    onSuccess: (changed) => {
      queries.setQueryData(runQuery(run.runId).queryKey, changed);
      setText('');
    },
  });
  const amount = Number(text);
  const isLarger = text.trim() !== '' && amount > present;
  if (run.status === 'completed' || run.status === 'cancelled') return null;
  if (!resumable.has(run.status)) return <p className="spaced muted">To raise the budget, pause the run.</p>;
  return (
    <form
      className={`${classes['raise']} row spaced wrap`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isLarger) mutate(amount);
      }}
    >
      <label className="field">
        New limit {isMoney ? 'in US dollars' : 'in tokens'}, now {present}
        <input type="number" min={present} step="any" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <button type="submit" className="button" disabled={!isLarger || isPending}>
        Raise budget and resume
      </button>
      {isLarger && <CopyAs of={copyOf('runs.resume', { id: run.runId, budget: budgetOf(amount) })} />}
      {error !== null && <Problem error={error} retry={reset} />}
    </form>
  );
}

/** Number of calls from which the burn rate is computed. */
const mostCalls = 500;

/** Loads the last calls of a run, which began at a time. */
const useLastCalls = (run: string, startedAt: number) =>
  useQuery({
    queryKey: ['run', run, 'burn'],
    queryFn: async ({ signal }): Promise<LastCalls> => {
      const filter = { order: 'newest', type: 'step.completed', limit: mostCalls } as const;
      const { data: calls, nextCursor } = await millrace.runs.get(run).searchEvents(filter, { signal }).page();
      return { calls, since: nextCursor === null ? startedAt : (calls.at(-1)?.at ?? startedAt) };
    },
  });
