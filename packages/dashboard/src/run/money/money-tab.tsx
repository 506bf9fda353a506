import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { BudgetBar } from '../../kit/values/budget-bar.tsx';
import { formatDuration, formatMoney } from '../../kit/values/format.ts';
import { useNow } from '../../kit/values/use-now.ts';
import { PastBand } from '../conversation/past-band.tsx';
import { eventsUpTo } from '../scrubber/place.ts';
import { useJournal } from '../use-journal.ts';
import { usePicture } from '../use-picture.ts';
import { hasEnded, useRun } from '../use-run.ts';
import { billOf, burnOf, inheritedOf, sumOf, timeLeft, usageOf } from './bill.ts';
import { BillTable } from './bill-table.tsx';
import classes from './money.module.css';
import { RaiseBudget } from './raise-budget.tsx';

/** Costs of a run by graph, node, activation and call, and its budget: now, or as they stood after an event. */
export function MoneyTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { at } = useSearch({ from: '/runs/$run/money' });
  const navigate = useNavigate({ from: '/runs/$run/money' });
  const { data: facts } = useRun(run);
  const { data: journal } = useJournal(run);
  const picture = usePicture(run, at);
  const bill = useMemo(() => {
    if (at === undefined) return facts === undefined ? undefined : billOf(facts.usageByNode);
    return journal && billOf(usageOf(journal.events.slice(0, eventsUpTo(journal.events, at))));
  }, [at, facts, journal]);
  const inherited = useMemo(() => (journal === undefined ? undefined : inheritedOf(journal.events)), [journal]);
  if (facts === undefined || bill === undefined) return <Skeleton rows={6} />;
  const total = sumOf(bill.map(({ usage }) => usage));
  const budget = at === undefined ? facts.budget : picture?.budget;
  const { unpriced = 0 } = total;
  return (
    <>
      {at !== undefined && (
        <PastBand
          event={journal?.events[eventsUpTo(journal.events, at) - 1]}
          leave={() => void navigate({ search: {} })}
        />
      )}
      <div className={classes['facts']}>
        {budget != null && <BudgetBar budget={budget} />}
        {at === undefined && journal !== undefined && !hasEnded(facts) && (
          <Burn events={journal.events} budget={facts.budget} />
        )}
        {inherited !== undefined && (
          <span>
            {formatMoney(inherited.usage.microUsd ?? 0)} of it was inherited from{' '}
            <Link to="/runs/$run/money" params={{ run: inherited.of }}>
              {inherited.of}
            </Link>{' '}
            and is not paid again
          </span>
        )}
        {facts.origin?.type === 'replay' && <span>A replay reads answers from the journal: they cost nothing</span>}
        {unpriced > 0 && (
          <span className={classes['warning']}>
            {unpriced === 1 ? '1 call is' : `${unpriced} calls are`} not in the cost: the price of the model is not
            known
          </span>
        )}
      </div>
      {at === undefined && facts.budget !== null && <RaiseBudget run={facts} budget={facts.budget} />}
      {bill.length === 0 ? (
        <Empty title="No node of this run has asked a model." />
      ) : (
        <BillTable run={run} bill={bill} total={total} isPast={at !== undefined} />
      )}
    </>
  );
}

interface BurnProps {
  readonly events: Parameters<typeof burnOf>[0];
  readonly budget: NonNullable<ReturnType<typeof useRun>['data']>['budget'];
}

/** What the run spends per minute, and when its budget ends at this rate. */
function Burn({ events, budget }: BurnProps) {
  const now = useNow();
  const burn = burnOf(events, now);
  if (burn === undefined || burn.tokens === 0) return null;
  const left = budget === null ? undefined : timeLeft(budget, burn);
  return (
    <span>
      {formatMoney(burn.microUsd)} and {Math.round(burn.tokens)} tokens per minute
      {left !== undefined && `; at this rate the budget ends in ${formatDuration(left)}`}
    </span>
  );
}
