import { ChevronDown, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { formatCount, formatDuration, formatMoney } from '../../../kit/values/format.ts';
import type { GroupFacts, GroupLine } from '../timeline-lines.ts';
import { factsOf } from '../timeline-lines.ts';
import type { Span } from '../timeline-row.ts';
import classes from './timeline-table.module.css';

interface GroupRowProps {
  readonly index: number;
  /** Distance from the top of the list, in pixels. */
  readonly top: number;
  readonly window: Span;
  readonly now: number;
  readonly group: GroupLine;
  readonly toggle: () => void;
}

/** Units of a fan-out, a turn of a loop or a node as one bar, with numbers and percentiles. */
export function GroupRow({ index, top, window, now, group, toggle }: GroupRowProps) {
  const { title, kind, rows, depth, isOpen } = group;
  const facts = useMemo(() => factsOf(rows, now), [rows, now]);
  const share = (at: number): number => Math.max(0, Math.min(1, (at - window.from) / (window.to - window.from)));
  const from = share(facts.span?.from ?? 0);
  const to = share(facts.span?.to ?? 0);
  const isInside = facts.span !== undefined && facts.span.to >= window.from && facts.span.from <= window.to;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <tr
      aria-rowindex={index + 2}
      className={`${classes['row']} ${classes['group']}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      <td style={{ paddingLeft: 6 + depth * 16 }}>
        <button type="button" className={classes['fold']} aria-expanded={isOpen} onClick={toggle} title={title}>
          <Icon aria-hidden size={14} />
          <span>{title}</span>
        </button>
        <small>{kind === 'units' ? `${formatCount(facts.total)} units` : formatCount(facts.total)}</small>
      </td>
      <td>
        <span className={classes['track']}>
          {isInside && (
            <span
              className={`${classes['whole']} ${facts.failed > 0 ? classes['failed'] : facts.live > 0 ? classes['running'] : ''}`}
              style={{ left: `${from * 100}%`, width: `max(2px, ${(to - from) * 100}%)` }}
            />
          )}
          <span className={classes['facts']} style={besideOf(isInside ? { from, to } : { from: 1, to: 1 })}>
            {wordsOf(facts)}
            {facts.total > 1 && (
              <small>
                p50 {formatDuration(facts.p50)} · p95 {formatDuration(facts.p95)}
              </small>
            )}
          </span>
        </span>
      </td>
      <td>{facts.span === undefined ? '' : formatDuration(facts.span.to - facts.span.from)}</td>
      <td>{facts.microUsd === 0 ? '' : formatMoney(facts.microUsd)}</td>
    </tr>
  );
}

/** Returns the numbers of the rows of a group by their states. */
function wordsOf({ completed, failed, live, cancelled }: GroupFacts): string {
  const others = [
    [failed, '✕'],
    [live, 'live'],
    [cancelled, 'cancelled'],
  ] as const;
  const words = others.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return [`${formatCount(completed)} ✓`, ...words].join('  ');
}

/** Returns a place for words beside a bar, or on it when it leaves no room. */
function besideOf({ from, to }: { readonly from: number; readonly to: number }) {
  if (to < 0.65) return { left: `calc(${to * 100}% + 4px)` };
  return from > 0.35 ? { right: `calc(${(1 - from) * 100}% + 4px)` } : { left: `calc(${from * 100}% + 4px)` };
}
