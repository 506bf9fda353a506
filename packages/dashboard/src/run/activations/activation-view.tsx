import type { ActivationDetail } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { ErrorCode } from '../../kit/values/error-code.tsx';
import { formatDuration, formatInstant } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { hasEnded, stateAtEnd } from '../has-ended.ts';
import { useRun } from '../use-run.ts';
import { ActivationCalls } from './activation-calls.tsx';
import { ActivationFiles } from './activation-files.tsx';
import { ActivationMessages } from './activation-messages.tsx';
import { ActivationRoutes } from './activation-routes.tsx';
import classes from './activation-view.module.css';
import { useActivation } from './use-activation.ts';

interface ActivationViewProps {
  readonly run: string;
  readonly activation: string;
}

/** One activation: its input, its calls, its output, and the reason of its failure. */
export function ActivationView({ run, activation }: ActivationViewProps) {
  const { data, error, refetch } = useActivation(run, activation);
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  return (
    <div className={classes['view']}>
      <Facts run={run} of={data} />
      {data.error !== undefined && (
        <p className={classes['error']}>
          <ErrorCode code={data.error.code} /> {data.error.message}
        </p>
      )}
      {data.question !== undefined && <p className={classes['question']}>{data.question}</p>}
      {data.warnings.map((warning, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an edge may fail in the same way for two outputs
        <p key={at} className={classes['question']}>
          {warning}
        </p>
      ))}
      <ActivationMessages run={run} title="Output" messages={data.output} isOpen />
      <ActivationCalls calls={data.calls} />
      <ActivationRoutes run={run} graph={data.graph} routes={data.routes} />
      <ActivationFiles run={run} activation={activation} />
      <ActivationMessages run={run} title="Input" messages={data.input} isOpen={data.output.length === 0} />
    </div>
  );
}

function Facts({ run, of }: { readonly run: string; readonly of: ActivationDetail }) {
  const { id, node, graph, state, readyAt, startedAt, settledAt, attempts, unit, turn, worker } = of;
  const { data: whole } = useRun(run);
  const place = graph === '' ? {} : { g: graph };
  // Workers announce only long work, some time after it began.
  const [began] = [startedAt, of.calls[0]?.startedAt]
    .filter((time) => time !== undefined)
    .sort((one, other) => one - other);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Unit', unit === undefined ? undefined : String(unit + 1)],
    ['Turn', turn?.toString()],
    ['Due', formatInstant(readyAt)],
    ['Queued', began === undefined ? undefined : formatDuration(began - readyAt)],
    ['Took', settledAt === undefined ? undefined : formatDuration(settledAt - (began ?? readyAt))],
    ['Attempts', attempts > 1 ? String(attempts) : undefined],
    ['Worker', worker],
  ];
  return (
    <div className={classes['facts']}>
      <Status of={whole !== undefined && hasEnded(whole) ? stateAtEnd(state) : state} />
      <code>{id}</code>
      <Link to="/runs/$run/graph" params={{ run }} search={{ ...place, n: node }}>
        {graph === '' ? node : `${graph} / ${node}`}
      </Link>
      <dl>
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}
