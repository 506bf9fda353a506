import type { WorkflowOverview } from '@millrace/client';
import { activeStatuses } from '@millrace/core/run-status';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { overviewQuery, workflowQuery } from '../../api/workflow-queries.ts';
import { Panel } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { Figure, Figures } from '../../kit/values/figures.tsx';
import { formatCount, formatCounted, formatDay, formatDuration, formatMoney } from '../../kit/values/format.ts';
import { Age, Duration } from '../../kit/values/time.tsx';
import { useRunCounts } from '../../runs/filter/use-run-counts.ts';
import { useCheck } from '../draft/use-check.ts';
import { TextPicture } from '../picture/text-picture.tsx';
import classes from './overview.module.css';

/** A workflow at a glance: its purpose, its runs of seven days, its graph and its last failures. */
export function OverviewTab() {
  const { name } = useParams({ from: '/workflows/$name' });
  const { data, error, refetch } = useQuery(overviewQuery(name));
  const { data: workflow } = useQuery(workflowQuery(name));
  if (data === undefined)
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} retry={() => void refetch()} />;
  return (
    <>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data.description !== undefined && <p className={`${classes['purpose']} spaced`}>{data.description}</p>}
      <div className={`${classes['parts']} stack`}>
        <Panel title="Last seven days">
          <Week overview={data} />
        </Panel>
        <Panel title="Last failures">
          <LastFailures overview={data} />
        </Panel>
      </div>
      {workflow !== undefined && <Picture key={workflow.hash} name={name} text={workflow.yaml} />}
    </>
  );
}

/** The numbers of a week, and a bar for each of its days. */
function Week({ overview: { name, week, days } }: { readonly overview: WorkflowOverview }) {
  const { runs, failed, microUsd, unpriced, p50Ms, p95Ms } = week;
  const { data: counts } = useRunCounts({ workflow: name });
  // Runs that have not ended have calls in the cost, too.
  const payers = runs + activeStatuses.reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);
  if (runs === 0 && microUsd === 0) return <Empty title="No run of it has ended in these days." />;
  return (
    <>
      <Figures>
        <Figure label="Runs ended">{formatCount(runs)}</Figure>
        <Figure label="Failed">
          {failed === 0 ? (
            '0'
          ) : (
            <Link to="/runs" search={{ workflow: name, status: 'failed', since: '7d' }}>
              {formatCount(failed)}
            </Link>
          )}
          {failed > 0 && <small className="muted"> {shareOf(failed, runs)}</small>}
        </Figure>
        {p50Ms !== undefined && p95Ms !== undefined && (
          <Figure label="Duration p50 · p95" title="Of completed runs, replays not among them; right within an eighth.">
            {formatDuration(p50Ms)} · {formatDuration(p95Ms)}
          </Figure>
        )}
        <Figure
          label="Cost · per run"
          title="Of ended runs and of those under way; what replays and forks repeat is free."
        >
          {formatMoney(microUsd)}
          {counts !== undefined && payers > 0 && ` · ${formatMoney(Math.round(microUsd / payers))}`}
        </Figure>
      </Figures>
      {unpriced > 0 && (
        <p className="ink small" data-tone="waiting">
          {formatCounted(unpriced, 'call')} not in the cost: the price of the model is not known.
        </p>
      )}
      <DayBars days={days} />
    </>
  );
}

const shareOf = (part: number, whole: number): string => `${Math.max(1, Math.round((100 * part) / whole))}%`;

/** The runs of each day as a bar, with the failed ones at its foot. */
function DayBars({ days }: Pick<WorkflowOverview, 'days'>) {
  const most = Math.max(1, ...days.map(({ runs }) => runs));
  return (
    <ol className={classes['days']} aria-label="Runs by day (UTC)">
      {days.map(({ day, runs, failed, microUsd }) => (
        <li
          key={day}
          title={`${formatDay(day)}: ${formatCounted(runs, 'run')}, ${formatCount(failed)} failed, ${formatMoney(microUsd)}`}
        >
          <span className={classes['bar']} aria-hidden>
            <span style={{ height: `${(100 * (runs - failed)) / most}%` }} />
            <span data-tone="failed" style={{ height: `${(100 * failed) / most}%` }} />
          </span>
          <small className="muted" aria-hidden>
            {formatDay(day)}
          </small>
          <span className="visually-hidden">
            {formatDay(day)}: {formatCounted(runs, 'run')}, {formatCount(failed)} failed
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The runs that failed last, with their errors. */
function LastFailures({ overview: { name, lastFailures } }: { readonly overview: WorkflowOverview }) {
  if (lastFailures.length === 0) return <p className="muted">No run of it has failed.</p>;
  return (
    <>
      <ul className={`${classes['failures']} stack`}>
        {lastFailures.map(({ runId, title, error, startedAt, finishedAt }) => (
          <li key={runId}>
            <Link to="/runs/$run" params={{ run: runId }} className="cut">
              {title ?? runId}
            </Link>
            <span className="row wrap muted small">
              {error !== undefined && <code>{error.code}</code>}
              <Age at={startedAt} />
              <span>
                after <Duration from={startedAt} to={finishedAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      <Link to="/runs" search={{ workflow: name, status: 'failed' }} className="small">
        All failed runs
      </Link>
    </>
  );
}

/** The graph of the current version; a node leads to its line in the editor. */
function Picture({ name, text }: { readonly name: string; readonly text: string }) {
  const check = useCheck(text);
  const navigate = useNavigate();
  return (
    <div className={classes['picture']}>
      <TextPicture
        check={check}
        node={undefined}
        isAlone
        choose={() => void navigate({ to: '/workflows/$name/edit', params: { name } })}
      />
    </div>
  );
}
