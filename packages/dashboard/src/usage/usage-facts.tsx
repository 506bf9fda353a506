import type { UsageReport } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import classes from './usage.module.css';

/** The sums of a report, and the runs that their budget stopped. */
export function UsageFacts({ report, since }: { readonly report: UsageReport; readonly since: string }) {
  const { total } = report;
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
          {total.budgetStopped > 0 && (
            <Link to="/runs" search={{ stop: 'budget', since }}>
              show them
            </Link>
          )}
        </dd>
      </div>
    </dl>
  );
}
