import type { ActivationDetail } from '@millrace/client';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/folded-text.tsx';
import { formatClock, formatCount, formatDuration, formatMoney } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import classes from './activation-view.module.css';
import { useActivation } from './use-activation.ts';

interface ActivationViewProps {
  readonly run: string;
  readonly activation: string;
}

/** One activation: what it was given, what it called, what came out, and why it failed. */
export function ActivationView({ run, activation }: ActivationViewProps) {
  const { data, error, refetch } = useActivation(run, activation);
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const { state, startedAt, settledAt, attempts, unit } = data;
  return (
    <div className={classes['view']}>
      <p className={classes['facts']}>
        <Status of={state} />
        <code>{data.id}</code>
        {unit !== undefined && <span>unit {unit + 1}</span>}
        {startedAt !== undefined && <span>started {formatClock(startedAt)}</span>}
        {startedAt !== undefined && settledAt !== undefined && <span>{formatDuration(settledAt - startedAt)}</span>}
        {attempts > 1 && <span>{attempts} attempts</span>}
      </p>
      {data.error !== undefined && (
        <p className={classes['error']}>
          <code>{data.error.code}</code> {data.error.message}
        </p>
      )}
      {data.question !== undefined && <p className={classes['question']}>{data.question}</p>}
      {data.warnings.map((warning) => (
        <p key={warning} className={classes['question']}>
          {warning}
        </p>
      ))}
      <Messages title="Output" messages={data.output} />
      <Calls calls={data.calls} />
      <Messages title="Input" messages={data.input} />
    </div>
  );
}

function Messages({ title, messages }: { readonly title: string; readonly messages: ActivationDetail['input'] }) {
  if (messages.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {messages.map(({ role, source, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids here, and never change their order
        <figure key={at} className={classes['message']}>
          <figcaption>
            {source} · {role}
          </figcaption>
          <FoldedText text={text} />
        </figure>
      ))}
    </section>
  );
}

function Calls({ calls }: { readonly calls: ActivationDetail['calls'] }) {
  if (calls.length === 0) return null;
  return (
    <section aria-label="Calls">
      <h3>Calls</h3>
      <ul className={classes['calls']}>
        {calls.map(({ step, name, startedAt, completedAt, usage, failed }) => (
          <li key={step}>
            <strong>{name}</strong>
            <span>
              {completedAt === undefined ? 'under way' : formatDuration(completedAt - startedAt)}
              {usage !== undefined && ` · ${formatCount(usage.promptTokens + usage.completionTokens)} tokens`}
              {usage?.microUsd !== undefined && ` · ${formatMoney(usage.microUsd)}`}
              {failed && ' · failed'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
