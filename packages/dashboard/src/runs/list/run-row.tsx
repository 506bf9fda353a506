import type { RunLine } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import { Link } from '@tanstack/react-router';
import { Hand } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { RowPlace } from '../../kit/tables/virtual-table.tsx';
import { formatCost, formatCount, formatMoney } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { Age, Duration } from '../../kit/values/time.tsx';
import classes from './run-row.module.css';

interface RunRowProps {
  /** It has one line, without what its link shows, too. */
  readonly isOneLine: boolean;
  /** Absent while the page of the row is being loaded. */
  readonly run: RunLine | undefined;
  readonly place: RowPlace;
  readonly isSelected: boolean;
  readonly select: (run: string, withRange: boolean) => void;
  /** Changes when the keyboard moves to this row. */
  readonly focusedAt: number | undefined;
}

/** One run of the list. */
export function RunRow({ run, isOneLine, place, isSelected, select, focusedAt }: RunRowProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (focusedAt !== undefined) link.current?.focus({ preventScroll: true });
  }, [focusedAt]);
  if (run === undefined) {
    return (
      <tr {...place} className={classes['row']} aria-busy>
        <td className={classes['blank']} colSpan={columnCount}>
          <span className="visually-hidden">Loading</span>
        </td>
      </tr>
    );
  }
  const { runId, status, title, startedAt, finishedAt, usage } = run;
  const tokens = tokensOf(usage);
  return (
    <tr {...place} className={classes['row']} data-run={runId} aria-selected={isSelected}>
      <td className={classes['check']}>
        <input
          type="checkbox"
          aria-label={`Select ${title ?? runId}`}
          checked={isSelected}
          onChange={() => undefined}
          onClick={({ shiftKey }) => select(runId, shiftKey)}
        />
      </td>
      <td className={classes['status']}>
        <Status of={status} />
        {run.asks === true && status !== 'waiting' && <Hand aria-label="asks a question" size={13} />}
      </td>
      <td className={classes['run']}>
        <Link
          ref={link}
          to="/runs/$run"
          params={{ run: runId }}
          dir="auto"
          className={classes['link']}
          title={title === undefined ? runId : `${title}\n${runId}`}
        >
          {title ?? runId}
        </Link>
        <Facts run={run} isOneLine={isOneLine} />
      </td>
      <td className={classes['workflow']}>
        {run.workflow}
        {run.version !== undefined && <code>@{run.version.slice(0, 6)}</code>}
      </td>
      <td className={classes['started']}>
        <Age at={startedAt} />
      </td>
      <td className={classes['duration']}>
        <Duration from={startedAt} to={finishedAt} />
      </td>
      <td className={classes['tokens']}>{tokens === 0 ? '–' : formatCount(tokens)}</td>
      <td className={classes['cost']}>
        <Cost run={run} />
      </td>
    </tr>
  );
}

const columnCount = 8;

/** Identifying facts of a run: its id, source, error and tags; on phones its workflow, which has no column there. */
function Facts({ run, isOneLine }: Pick<RunRowProps, 'isOneLine'> & { readonly run: RunLine }) {
  const { runId, status, title, workflow, origin, error, tags } = run;
  if (isOneLine && error === undefined && origin === undefined && tags.length === 0) return null;
  return (
    <span className={`${classes['facts']} row muted small`} data-workflow={workflow}>
      {error !== undefined && status !== 'cancelled' && <code className={classes['error']}>{error.code}</code>}
      {title !== undefined && !isOneLine && <code className={classes['id']}>{runId}</code>}
      {origin !== undefined && <span className={`${classes['origin']} cut`}>{originLabel(origin)}</span>}
      {ownTags(tags, origin).map((tag) => (
        <Link key={tag} to="/runs" search={{ tag }} dir="auto" className={`${classes['tag']} muted cut`}>
          {tag}
        </Link>
      ))}
    </span>
  );
}

/** Cost of a run, and its share of the budget. */
function Cost({ run: { usage, budget } }: { readonly run: RunLine }) {
  const share = budget === undefined ? undefined : shareOf(budget);
  const cost = formatCost(usage?.microUsd);
  // A list has few elements: it is long.
  if (share === undefined) return cost;
  return (
    <span className={classes['costCost']}>
      <span>{cost}</span>
      <span className={`${classes['bar']} meter`} role="img" aria-label={share.text} title={share.text}>
        <span style={{ width: `${share.percent}%` }} />
      </span>
    </span>
  );
}

function shareOf({ limit, spent }: NonNullable<RunLine['budget']>) {
  const { microUsd, tokens } = limit;
  if (microUsd !== undefined)
    return { percent: percentOf(spent.microUsd, microUsd), text: `of ${formatMoney(microUsd)}` };
  if (tokens === undefined) return undefined;
  return {
    percent: percentOf(spent.tokens, tokens),
    text: `${formatCount(spent.tokens)} of ${formatCount(tokens)} tokens`,
  };
}

const percentOf = (part: number, whole: number): number => Math.min(100, (100 * part) / Math.max(1, whole));

type Origin = NonNullable<RunLine['origin']>;

/** Returns the source of a run in words. */
export function originLabel({ type, of }: Origin): string {
  if (type === 'replay' || type === 'fork') return `${type} of ${of}`;
  return type === 'batch' ? `row of batch ${of}` : `${type} ${of}`;
}

/** Returns the tags of a run without the one that the server gives to all runs of its source, whose words say the same. */
export const ownTags = (tags: readonly string[], origin: Origin | undefined): readonly string[] =>
  tags.filter((tag) => tag !== `${origin?.type}:${origin?.of}`);
