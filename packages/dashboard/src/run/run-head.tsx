import type { Run } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ErrorCode } from '../kit/states/problem.tsx';
import { BudgetBar } from '../kit/values/budget-bar.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { formatCount, formatCounted, formatDuration, formatMoney } from '../kit/values/format.ts';
import { Prose } from '../kit/values/prose.tsx';
import { recordedText } from '../kit/values/recorded-text.ts';
import { Status } from '../kit/values/status.tsx';
import { Age, Duration, useServerNow } from '../kit/values/time.tsx';
import { runWorkflowQuery } from './follow/run-queries.ts';
import type { RunPast } from './follow/use-run-past.ts';
import { useRunPast } from './follow/use-run-past.ts';
import { RunContents } from './run-contents.tsx';
import classes from './run-head.module.css';

/** Facts of a run: its status with the reason, its duration and its cost. */
export function RunHead({ run }: { readonly run: Run }) {
  const { at } = useSearch({ strict: false });
  if (at !== undefined) return <PastHead run={run} at={at} />;
  return (
    <>
      <Facts run={run} past={undefined} />
      <WorkflowWarnings run={run.runId} />
    </>
  );
}

/** The same without the selected event, which a removed run no longer has. */
export const LastRunHead = ({ run }: { readonly run: Run }) => <Facts run={run} past={undefined} />;

/** The same after an event. */
const PastHead = ({ run, at }: { readonly run: Run; readonly at: string }) => (
  <Facts run={run} past={useRunPast(run.runId, at)} />
);

function Facts({ run, past }: { readonly run: Run; readonly past: RunPast | undefined }) {
  const { error, stop } = run;
  const { activations, tokens, microUsd, budget } = past ?? presentOf(run);
  return (
    <section aria-label="Facts" className="spaced stack">
      <div className={`${classes['facts']} row wrap muted`}>
        <Status of={past?.status ?? run.status} />
        <strong className={`${classes['workflow']} strong`}>{run.workflow}</strong>
        <CopyableId id={run.runId} />
        {past === undefined ? (
          <>
            <span>
              started <Age at={run.startedAt} />
            </span>
            <Duration from={run.startedAt} to={run.finishedAt} />
          </>
        ) : (
          <span>{formatDuration(past.at - run.startedAt)} after its start</span>
        )}
        <span>{formatCounted(activations, 'activation')}</span>
        {tokens > 0 && <span>{formatCount(tokens)} tokens</span>}
        {budget === null ? (
          microUsd !== undefined && <span>{formatMoney(microUsd)}</span>
        ) : (
          <BudgetBar budget={budget} />
        )}
        {run.tags.map((tag) => (
          <Link key={tag} to="/runs" search={{ tag }} className={`${classes['tag']} pill muted small`}>
            {tag}
          </Link>
        ))}
        <Origin run={run} />
        {run.expiresAt !== undefined && <Expiry at={run.expiresAt} />}
      </div>
      <RunContents run={run.runId} output={past === undefined ? run.output : null} />
      {past === undefined && error !== null && <RunError error={error} run={run.runId} />}
      {past === undefined && run.warnings.count > 0 && <RunWarnings run={run} />}
      {past === undefined && stop !== null && (
        <p className="note" data-tone="terminated">
          <code>{stop.code}</code> {stop.text}
        </p>
      )}
    </section>
  );
}

/** Time after which a temporary run is removed. */
function Expiry({ at }: { readonly at: number }) {
  const leftMs = Math.max(0, at - useServerNow());
  return (
    <strong className="pill tinted small strong" data-tone="waiting" title="Lists of runs do not show a temporary run.">
      temporary: {leftMs === 0 ? 'its time is over' : `removed in ${formatDuration(leftMs)}`}
    </strong>
  );
}

const presentOf = ({
  activations,
  usage,
  budget,
}: Run): Pick<RunPast, 'activations' | 'tokens' | 'microUsd' | 'budget'> => ({
  activations,
  tokens: tokensOf(usage),
  microUsd: usage.microUsd,
  budget,
});

/** Origin of a run that was not started directly. */
function Origin({ run: { runId, origin, usage, recorded } }: { readonly run: Run }) {
  if (origin === undefined) return null;
  const { type, of } = origin;
  if (type === 'batch')
    return (
      <span>
        row of{' '}
        <Link to="/batches/$batch" params={{ batch: of }}>
          batch {of}
        </Link>
      </span>
    );
  if (type === 'schedule')
    return (
      <span>
        of{' '}
        <Link to="/schedules/$schedule" params={{ schedule: of }}>
          schedule {of}
        </Link>
      </span>
    );
  if (type !== 'replay' && type !== 'fork') return <span>{`${type} ${of}`}</span>;
  return (
    <span>
      {type} of{' '}
      <Link to="/runs/$run/graph" params={{ run: of }}>
        {of.slice(0, 12)}…
      </Link>
      {' · '}
      <Link to="/runs/$run/compare/$other" params={{ run: of, other: runId }} title="Compare with it (d)">
        Compare
      </Link>
      {recorded !== undefined && ` · ${recordedText(recorded)}`}
      {type === 'replay' && usage.calls === 0 && ' · nothing was asked, $0 paid'}
    </span>
  );
}

/** Warnings about the workflow of a run, by what is known now of its models and functions. */
function WorkflowWarnings({ run }: { readonly run: string }) {
  const { data: { warnings = [] } = {} } = useQuery(runWorkflowQuery(run));
  if (warnings.length === 0) return null;
  return (
    <details aria-label="Warnings about the workflow" className={`${classes['warnings']} note`} data-tone="waiting">
      <summary>{formatCounted(warnings.length, 'warning')} about the workflow</summary>
      <ul>
        {warnings.map(({ code, line, column, message }) => (
          <li key={`${code} ${line}:${column} ${message}`}>
            {line}:{column} <ErrorCode code={code} /> <Prose text={message} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The newest problems that did not change the outcome of a run, with the nodes where they happened. */
const RunWarnings = ({ run: { runId, warnings } }: { readonly run: Run }) => (
  <section aria-label="Warnings" className={`${classes['warnings']} note`} data-tone="waiting">
    <strong>{formatCounted(warnings.count, 'warning')}</strong>
    <ul>
      {warnings.latest.map(({ activation, node, code, message }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an activation may have the same warning twice
        <li key={`${activation} ${at}`}>
          <Link to="/runs/$run/graph" params={{ run: runId }} search={{ n: node }}>
            {node}
          </Link>
          : <ErrorCode code={code} /> <Prose text={message} />
        </li>
      ))}
      {warnings.count > warnings.latest.length && (
        <li>and {formatCount(warnings.count - warnings.latest.length)} before them</li>
      )}
    </ul>
  </section>
);

/** The error for which a run has failed, with the node where it happened. */
function RunError({ error, run }: { readonly error: NonNullable<Run['error']>; readonly run: string }) {
  const { code, message, node } = error;
  return (
    <p className={`${classes['error']} note`} data-tone="failed" data-code={code} role="alert">
      {node !== undefined && (
        <>
          <Link to="/runs/$run/graph" params={{ run }} search={{ n: node }}>
            {node}
          </Link>
          {': '}
        </>
      )}
      <Prose text={message} /> <ErrorCode code={code} />
    </p>
  );
}
