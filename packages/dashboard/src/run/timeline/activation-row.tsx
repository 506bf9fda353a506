import type { Activation } from '@millrace/client';
import type { Span, TimelineRow } from '../../activations/timeline-row.ts';
import { begunWith, headLabel, workedMs } from '../../activations/timeline-row.ts';
import type { RowPlace } from '../../kit/tables/virtual-table.tsx';
import { formatCost, formatDuration } from '../../kit/values/format.ts';
import { StatusIcon, toneOf } from '../../kit/values/status.tsx';
import { decisionsLabel } from '../activations/activation-approvals.tsx';
import type { Piece } from './timeline-geometry.ts';
import { piecesOf } from './timeline-geometry.ts';
import classes from './timeline-table.module.css';

interface ActivationRowProps {
  readonly place: RowPlace;
  readonly window: Span;
  readonly now: number;
  readonly row: TimelineRow;
  readonly depth: number;
  /** The activation with its calls; absent until it has loaded. */
  readonly details: Activation | undefined;
  readonly isOpen: boolean;
  readonly open: () => void;
}

/** One activation as a bar. */
export function ActivationRow(props: ActivationRowProps) {
  const { place, window, now, depth, details, isOpen, open } = props;
  const row = begunWith(props.row, details?.calls);
  const { id, node, unit, state, microUsd } = row;
  const head = details?.lastOutput?.text;
  const pieces = piecesOf(row, details, { window, now });
  const end = Math.max(0, ...pieces.map(({ to }) => to));
  const isQueued = state === 'ready' && row.startedAt === undefined;
  const decisions = decisionsLabel(details?.approvals);
  const label = [unit === undefined ? '' : `unit ${unit + 1}`, decisions, head === undefined ? '' : headLabel(head)]
    .filter((word) => word !== '')
    .join(' · ');
  return (
    <tr {...place} className={`${classes['row']} ${isOpen ? classes['open'] : ''}`}>
      <td style={{ paddingLeft: 12 + depth * 16 }}>
        <StatusIcon of={lookOf(row)} size={12} />
        <button
          type="button"
          className={`${classes['name']} cut strong`}
          onClick={open}
          title={`${node} ${id}, ${state}`}
        >
          {node}
        </button>
        <code>{id}</code>
      </td>
      <td>
        <span className={classes['track']} role="img" aria-label={labelOf(row, now)}>
          {pieces.map((piece) => (
            <span
              key={`${piece.kind} ${piece.from}`}
              className={classes[piece.kind]}
              data-tone={toneOf(lookOf(row))}
              style={styleOf(piece)}
            />
          ))}
          {label !== '' && end < 0.85 && (
            <span className={classes['label']} style={{ left: `calc(${end * 100}% + 6px)` }}>
              {label}
            </span>
          )}
        </span>
      </td>
      <td>{isQueued ? 'queued' : formatDuration(workedMs(row, now))}</td>
      <td>{formatCost(microUsd)}</td>
    </tr>
  );
}

/** Returns the displayed state of an activation: an opened one is done. */
const lookOf = ({ state }: TimelineRow) => (state === 'opened' ? 'done' : state);

const styleOf = ({ kind, from, to }: Piece) =>
  kind === 'retry'
    ? { left: `${from * 100}%` }
    : { left: `${from * 100}%`, width: `max(${kind === 'queue' ? 0 : 2}px, ${(to - from) * 100}%)` };

/** Returns a bar in words. */
function labelOf(row: TimelineRow, now: number): string {
  const { readyAt, startedAt, state } = row;
  const queued = startedAt === undefined ? '' : `queued ${formatDuration(startedAt - readyAt)}, `;
  return `${queued}${state === 'waiting' ? 'waits' : 'worked'} ${formatDuration(workedMs(row, now))}, ${state}`;
}
