import type { Run } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { BudgetBar } from '../kit/values/budget-bar.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age, Duration } from '../kit/values/time.tsx';
import classes from './run-head.module.css';

/** The facts of a run: its status, how long it takes, what it costs, and why it stands where it does. */
export function RunHead({ run }: { readonly run: Run }) {
  const { usage, budget, error, stop, tags } = run;
  const tokens = usage.promptTokens + usage.completionTokens;
  return (
    <section aria-label="Facts" className={classes['head']}>
      <div className={classes['facts']}>
        <Status of={run.status} />
        <span>{run.workflow}</span>
        <CopyableId id={run.runId} />
        <span>
          started <Age at={run.startedAt} />
        </span>
        <Duration from={run.startedAt} to={run.finishedAt} />
        <span>{run.activations === 1 ? '1 activation' : `${formatCount(run.activations)} activations`}</span>
        {tokens > 0 && <span>{formatCount(tokens)} tokens</span>}
        {usage.microUsd !== undefined && <span>{formatMoney(usage.microUsd)}</span>}
        {budget !== null && <BudgetBar budget={budget} />}
        {tags.map((tag) => (
          <Link key={tag} to="/runs" search={{ tag }}>
            {tag}
          </Link>
        ))}
      </div>
      {error !== null && (
        <p className={classes['error']}>
          <code>{error.code}</code> {error.node !== undefined && <strong>{error.node}: </strong>}
          {error.message}
        </p>
      )}
      {stop !== null && (
        <p className={classes['stop']}>
          <code>{stop.code}</code> {stop.text}
        </p>
      )}
    </section>
  );
}
