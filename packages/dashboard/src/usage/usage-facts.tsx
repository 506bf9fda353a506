import type { UsageReport } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { useCaller } from '../api/use-caller.ts';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import classes from './usage.module.css';
import type { UsagePlace } from './usage-place.ts';

interface UsageFactsProps {
  readonly report: UsageReport;
  readonly since: string;
  readonly place: UsagePlace;
}

/** The sums of a report, and the runs that their budget stopped. */
export function UsageFacts({ report, since, place }: UsageFactsProps) {
  const { total } = report;
  const own = useCaller().data?.tenant;
  // Runs of other tenants cannot be listed.
  const isOwn = place.tenant === undefined ? place.by !== 'tenant' : place.tenant === own;
  return (
    <dl className={classes['facts']}>
      <div>
        <dt>Cost</dt>
        <dd>{formatMoney(total.microUsd)}</dd>
      </div>
      {total.unpriced > 0 && (
        <div>
          <dt>Calls without a price</dt>
          <dd>{formatCount(total.unpriced)}</dd>
        </div>
      )}
      <div>
        <dt>Tokens in · out</dt>
        <dd>
          {formatCount(total.promptTokens)} · {formatCount(total.completionTokens)}
        </dd>
      </div>
      <div>
        <dt>Calls of models</dt>
        <dd>{formatCount(total.calls)}</dd>
      </div>
      <div>
        <dt>Runs ended</dt>
        <dd>{formatCount(total.runs)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd>{formatCount(total.failed)}</dd>
      </div>
      <div>
        <dt>Stopped by their budget</dt>
        <dd>
          {formatCount(total.budgetStopped)}{' '}
          {isOwn && total.budgetStopped > 0 && (
            <Link to="/runs" search={{ stop: 'budget', since }}>
              show them
            </Link>
          )}
        </dd>
      </div>
    </dl>
  );
}
