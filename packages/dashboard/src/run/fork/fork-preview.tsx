import type { ModelUsage } from '@millrace/client';
import { addUsage, tokensOf } from '@millrace/core/usage';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount, formatCounted, formatMoney } from '../../kit/values/format.ts';
import classes from './fork-dialog.module.css';

interface ForkPreviewProps {
  readonly run: string;
  readonly activation: string;
  /** The activation is executed again; otherwise it has an output. */
  readonly isAsked: boolean;
}

/** Loads the calls that a fork would keep or pay again, and the settings that can be changed in it. */
export const useForkPreview = (run: string, activation: string) =>
  useQuery({
    queryKey: ['run', run, 'fork', activation],
    queryFn: () => millrace.runs.get(run).previewFork(activation),
  });

/** Calls that a fork keeps, and calls that it makes again, according to the journal. */
export function ForkPreview({ run, activation, isAsked }: ForkPreviewProps) {
  const { data, error } = useForkPreview(run, activation);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <p role="status">Counting what is paid again…</p>;
  const others = data.live.filter((id) => id !== activation);
  return (
    <dl className={classes['preview']}>
      <dt>Kept, not paid again</dt>
      <dd>
        {countOf(data.kept)}, {usageOf(data.inherited)}
      </dd>
      <dt>Executed again</dt>
      <dd>
        {isAsked ? activation : `nothing but what follows ${activation}`}
        {others.length > 0 && `; ${others.slice(0, 8).join(', ')}${others.length > 8 ? ' …' : ''} continue`}
        {data.following > 0 && `; ${countOf(data.following)} followed in this run`}
      </dd>
      <dt>Paid again, about</dt>
      <dd>{usageOf(isAsked ? addUsage(data.own, data.after) : data.after)}</dd>
    </dl>
  );
}

const countOf = (activations: number): string => formatCounted(activations, 'activation');

function usageOf(usage: ModelUsage): string {
  const { calls, microUsd } = usage;
  if (calls === 0) return 'no model calls';
  const tokens = `${formatCount(tokensOf(usage))} tokens`;
  const cost = microUsd === undefined ? 'cost unknown' : formatMoney(microUsd);
  return `${formatCounted(calls, 'call')}, ${tokens}, ${cost}`;
}
