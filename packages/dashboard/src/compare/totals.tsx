import type { Run } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import { Link } from '@tanstack/react-router';
import tableClasses from '../kit/tables/table.module.css';
import { formatCount, formatDuration, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { useServerNow } from '../kit/values/time.tsx';
import { useInherited } from '../run/money/use-inherited.ts';
import type { Pair } from './pairs.ts';
import { tallyOf } from './pairs.ts';
import classes from './totals.module.css';
import { Verdict } from './verdict.tsx';

interface TotalsProps {
  readonly runA: Run;
  readonly runB: Run;
  /** Undefined while activations are being loaded. */
  readonly pairs: readonly Pair[] | undefined;
}

/** Two runs as columns of one table: their facts, durations and costs, and the differences. */
export function Totals({ runA, runB, pairs }: TotalsProps) {
  const now = useServerNow();
  const took = ({ startedAt, finishedAt }: Run): number => (finishedAt ?? now) - startedAt;
  const fromA = useInherited(runA).data?.microUsd ?? 0;
  const fromB = useInherited(runB).data?.microUsd ?? 0;
  const numbers: readonly NumberRow[] = [
    { name: 'Time', a: took(runA), b: took(runB), format: formatDuration },
    { name: 'Cost', a: runA.usage.microUsd ?? 0, b: runB.usage.microUsd ?? 0, format: formatMoney },
    ...(fromA + fromB === 0 ? [] : [{ name: 'of it inherited', a: fromA, b: fromB, format: formatMoney }]),
    { name: 'Calls of models', a: runA.usage.calls, b: runB.usage.calls, format: formatCount },
    { name: 'Tokens', a: tokensOf(runA.usage), b: tokensOf(runB.usage), format: formatCount },
    { name: 'Activations', a: runA.activations, b: runB.activations, format: formatCount },
  ];
  return (
    <>
      <table className={`${tableClasses['table']} panel ${classes['totals']}`} aria-label="Totals">
        <thead>
          <tr>
            <td />
            <RunHeading letter="A" run={runA} />
            <RunHeading letter="B" run={runB} />
            <th scope="col">B − A</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map(({ name, a, b, format }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{format(a)}</td>
              <td>{format(b)}</td>
              <td>{differenceOf(b - a, format)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {pairs !== undefined && <Summary pairs={pairs} />}
    </>
  );
}

interface NumberRow {
  readonly name: string;
  readonly a: number;
  readonly b: number;
  readonly format: (value: number) => string;
}

/** Returns a difference with its sign. */
export function differenceOf(by: number, format: (value: number) => string): string {
  if (by === 0) return '=';
  const amount = format(Math.abs(by));
  // An amount that is too small to be shown has no digits to compare.
  return amount.startsWith('<') ? '≈' : `${by > 0 ? '+' : '−'}${amount}`;
}

function RunHeading({ letter, run }: { readonly letter: string; readonly run: Run }) {
  const { runId, title, status, workflow, version, plan, origin, usage } = run;
  return (
    <th scope="col">
      <span className={`${classes['run']} row wrap`}>
        <b>{letter}</b>
        <Link to="/runs/$run/graph" params={{ run: runId }} title={runId} className="cut">
          <bdi>{title ?? runId}</bdi>
        </Link>
        <Status of={status} />
      </span>
      <small>
        <code>{runId.slice(0, 12)}…</code> · {workflow}@{(version ?? plan).slice(0, 6)}
        {origin !== undefined && ` · ${origin.type} of ${origin.of.slice(0, 12)}…`}
        {origin?.type === 'replay' && usage.calls === 0 && ' · nothing was asked, nothing paid'}
      </small>
    </th>
  );
}

/** The numbers of pairs by how they compare. */
function Summary({ pairs }: { readonly pairs: readonly Pair[] }) {
  const tally = tallyOf(pairs);
  const verdicts = (['same', 'changed', 'only A', 'only B'] as const).filter((verdict) => tally[verdict] > 0);
  return (
    <p className={`${classes['summary']} row spaced wrap`}>
      {verdicts.map((verdict) => (
        <span key={verdict}>
          {formatCount(tally[verdict])} <Verdict of={verdict} />
        </span>
      ))}
    </p>
  );
}
