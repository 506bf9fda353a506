import type { RunLine } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age, Duration } from '../kit/values/time.tsx';
import classes from './run-table.module.css';

interface RunRowProps {
  readonly run: RunLine;
  readonly index: number;
  /** Distance from the top of the list, in pixels. */
  readonly top: number;
}

/** One run of the list. */
export function RunRow({ run, index, top }: RunRowProps) {
  const { runId, status, title, workflow, startedAt, finishedAt, usage, tags, error, origin } = run;
  const tokens = (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);
  return (
    <tr aria-rowindex={index + 2} className={classes['row']} style={{ transform: `translateY(${top}px)` }}>
      <td>
        <Status of={status} />
      </td>
      <td>
        <Link to="/runs/$run" params={{ run: runId }} className={classes['link']}>
          {title ?? runId}
        </Link>
        <span className={classes['facts']}>
          {title !== undefined && <code>{runId}</code>}
          {origin !== undefined && (
            <span>
              {origin.type} of {origin.of}
            </span>
          )}
          {error !== undefined && <code className={classes['error']}>{error.code}</code>}
          {tags.map((tag) => (
            <Link key={tag} to="/runs" search={{ tag }} className={classes['tag']}>
              {tag}
            </Link>
          ))}
        </span>
      </td>
      <td>{workflow}</td>
      <td>
        <Age at={startedAt} />
      </td>
      <td>
        <Duration from={startedAt} to={finishedAt} />
      </td>
      <td>{tokens === 0 ? '–' : formatCount(tokens)}</td>
      <td>{usage?.microUsd === undefined ? '–' : formatMoney(usage.microUsd)}</td>
    </tr>
  );
}
