import { ChevronDown, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import type { Span, TimelineRow } from '../../activations/timeline-row.ts';
import { spanOf } from '../../activations/timeline-row.ts';
import type { RowPlace } from '../../kit/tables/virtual-table.tsx';
import { useRowHeight, useVirtualRows, VirtualTable } from '../../kit/tables/virtual-table.tsx';
import { formatCost, formatCount, formatDuration } from '../../kit/values/format.ts';
import { useCalls } from '../activations/use-calls.ts';
import { ActivationRow } from './activation-row.tsx';
import { Overview } from './overview.tsx';
import { scaleMarks } from './timeline-geometry.ts';
import type { GroupLine, GroupSummary, TimelineLine } from './timeline-lines.ts';
import { factsOf } from './timeline-lines.ts';
import type { TimelineSearch } from './timeline-search.ts';
import classes from './timeline-table.module.css';
import { aroundOf, formatWindow, parseWindow } from './timeline-window.ts';

interface TimelineTableProps {
  readonly run: string;
  /** All rows that the filters leave. */
  readonly rows: readonly TimelineRow[];
  readonly lines: readonly TimelineLine[];
  readonly whole: Span;
  readonly now: number;
  readonly search: TimelineSearch;
  readonly change: (changed: TimelineSearch) => void;
  /** Opens or folds a group. */
  readonly toggle: (key: string) => void;
}

/** The overview of a run over its lines. The window of time follows the visible lines unless people have set it. */
export function TimelineTable(props: TimelineTableProps) {
  const { run, rows, lines, whole, now, search: place, change, toggle } = props;
  const virtual = useVirtualRows<HTMLTableSectionElement>({
    count: lines.length,
    rowHeight: useRowHeight('small'),
    overscan: 4,
  });
  const visible = virtual.rows.flatMap(({ index }) => lines[index] ?? []);
  const calls = useCalls(
    run,
    visible.flatMap((line) => (line.type === 'row' ? [line.row.id] : [])),
  );
  const followed = aroundOf(
    spanOf(
      visible.flatMap((line) => (line.type === 'row' ? [line.row] : line.rows)),
      now,
    ) ?? whole,
  );
  // The overview counts all rows again when its span changes.
  const around = useMemo(() => aroundOf(whole), [whole]);
  const pinned = parseWindow(place.window);
  const window = pinned ?? followed;
  const pin = (span: Span | undefined) => change({ window: span === undefined ? undefined : formatWindow(span) });
  return (
    <>
      <Overview rows={rows} whole={around} window={window} isPinned={pinned !== undefined} now={now} pin={pin} />
      <VirtualTable
        label="Timeline"
        className={`${classes['table']} spaced`}
        columns={['Node', { title: 'Time', head: <Scale window={window} start={whole.from} /> }, 'Took', 'Cost']}
        of={virtual}
        count={lines.length}
      >
        {(index, at) => {
          const line = lines[index];
          if (line === undefined) return null;
          return line.type === 'row' ? (
            <ActivationRow
              key={line.row.id}
              place={at}
              window={window}
              now={now}
              row={line.row}
              depth={line.depth}
              details={calls.get(line.row.id)}
              isOpen={place.a === line.row.id}
              open={() => change({ a: line.row.id })}
            />
          ) : (
            <GroupRow
              key={line.key}
              place={at}
              window={window}
              now={now}
              group={line}
              toggle={() => toggle(line.key)}
            />
          );
        }}
      </VirtualTable>
    </>
  );
}

/** Times since the run began, along the window. */
const Scale = ({ window, start }: { readonly window: Span; readonly start: number }) => (
  <span className={classes['scale']}>
    <span className="visually-hidden">Time</span>
    {scaleMarks(window, start).map(({ at, text }) => (
      <span key={text} style={{ left: `${at * 100}%` }}>
        +{text}
      </span>
    ))}
  </span>
);

interface GroupRowProps {
  readonly place: RowPlace;
  readonly window: Span;
  readonly now: number;
  readonly group: GroupLine;
  readonly toggle: () => void;
}

/** Units of a fan-out, an iteration of a loop or a node as one bar, with numbers and percentiles. */
function GroupRow({ place, window, now, group, toggle }: GroupRowProps) {
  const { title, kind, rows, depth, isOpen } = group;
  const facts = useMemo(() => factsOf(rows, now), [rows, now]);
  const share = (at: number): number => Math.max(0, Math.min(1, (at - window.from) / (window.to - window.from)));
  const from = share(facts.span?.from ?? 0);
  const to = share(facts.span?.to ?? 0);
  const isInside = facts.span !== undefined && facts.span.to >= window.from && facts.span.from <= window.to;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <tr {...place} className={classes['row']}>
      <td style={{ paddingLeft: 6 + depth * 16 }}>
        <button
          type="button"
          className={`${classes['fold']} inline cut strong`}
          aria-expanded={isOpen}
          onClick={toggle}
          title={title}
        >
          <Icon aria-hidden size={14} />
          <span className="cut">{title}</span>
        </button>
        <small>{kind === 'units' ? `${formatCount(facts.total)} units` : formatCount(facts.total)}</small>
      </td>
      <td>
        <span className={classes['track']}>
          {isInside && (
            <span
              className={classes['whole']}
              data-tone={facts.failed > 0 ? 'failed' : facts.live > 0 ? 'running' : undefined}
              style={{ left: `${from * 100}%`, width: `max(2px, ${(to - from) * 100}%)` }}
            />
          )}
          <span className={classes['facts']} style={besideOf(isInside ? { from, to } : { from: 1, to: 1 })}>
            {summaryOf(facts)}
            {facts.total > 1 && (
              <small>
                p50 {formatDuration(facts.p50)} · p95 {formatDuration(facts.p95)}
              </small>
            )}
          </span>
        </span>
      </td>
      <td>{facts.span === undefined ? '' : formatDuration(facts.span.to - facts.span.from)}</td>
      <td>{formatCost(facts.microUsd)}</td>
    </tr>
  );
}

/** Returns the numbers of the rows of a group by their states. */
function summaryOf({ completed, failed, live, cancelled }: GroupSummary): string {
  const others = [
    [failed, '✕'],
    [live, 'live'],
    [cancelled, 'cancelled'],
  ] as const;
  const parts = others.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return [`${formatCount(completed)} ✓`, ...parts].join('  ');
}

/** Returns a place for words beside a bar, or on it when it leaves no room. */
function besideOf({ from, to }: { readonly from: number; readonly to: number }) {
  if (to < 0.65) return { left: `calc(${to * 100}% + 4px)` };
  return from > 0.35 ? { right: `calc(${(1 - from) * 100}% + 4px)` } : { left: `calc(${from * 100}% + 4px)` };
}
