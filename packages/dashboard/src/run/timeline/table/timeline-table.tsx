import { useRowHeight } from '../../../kit/tables/use-row-height.ts';
import { useVirtualRows } from '../../../kit/tables/use-virtual-rows.ts';
import { Overview } from '../overview/overview.tsx';
import type { TimelineLine } from '../timeline-lines.ts';
import type { TimelinePlace } from '../timeline-place.ts';
import type { Span, TimelineRow } from '../timeline-row.ts';
import { spanOf } from '../timeline-row.ts';
import { aroundOf, formatWindow, parseWindow } from '../timeline-window.ts';
import { ActivationRow } from './activation-row.tsx';
import { GroupRow } from './group-row.tsx';
import { scaleMarks } from './scale-marks.ts';
import classes from './timeline-table.module.css';
import { useCalls } from './use-calls.ts';

interface TimelineTableProps {
  readonly run: string;
  /** All rows that the filters leave. */
  readonly rows: readonly TimelineRow[];
  readonly lines: readonly TimelineLine[];
  readonly whole: Span;
  readonly now: number;
  readonly place: TimelinePlace;
  readonly change: (changed: TimelinePlace) => void;
  /** Opens or folds a group. */
  readonly toggle: (key: string) => void;
}

/** The overview of a run over its lines. The window of time follows the visible lines unless people have set it. */
export function TimelineTable(props: TimelineTableProps) {
  const { run, rows, lines, whole, now, place, change, toggle } = props;
  const {
    body,
    rows: items,
    height,
    topOf,
  } = useVirtualRows<HTMLTableSectionElement>({
    count: lines.length,
    rowHeight: useRowHeight('small'),
    overscan: 4,
  });
  const visible = items.flatMap((item) => {
    const line = lines[item.index];
    return line === undefined ? [] : [{ item, line }];
  });
  const calls = useCalls(
    run,
    visible.flatMap(({ line }) => (line.type === 'row' ? [line.row.id] : [])),
  );
  const followed = aroundOf(
    spanOf(
      visible.flatMap(({ line }) => (line.type === 'row' ? [line.row] : line.rows)),
      now,
    ) ?? whole,
  );
  const pinned = parseWindow(place.window);
  const window = pinned ?? followed;
  const pin = (span: Span | undefined) => change({ window: span === undefined ? undefined : formatWindow(span) });
  return (
    <>
      <Overview
        rows={rows}
        whole={aroundOf(whole)}
        window={window}
        isPinned={pinned !== undefined}
        now={now}
        pin={pin}
      />
      <table className={classes['table']} aria-label="Timeline" aria-rowcount={lines.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Node</th>
            <th scope="col">
              <Scale window={window} start={whole.from} />
            </th>
            <th scope="col">Took</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody ref={body} style={{ height }}>
          {visible.map(({ item, line }) => {
            const at = { index: item.index, top: topOf(item), window, now };
            return line.type === 'row' ? (
              <ActivationRow
                key={line.row.id}
                {...at}
                row={line.row}
                depth={line.depth}
                details={calls.get(line.row.id)}
                isOpen={place.a === line.row.id}
                open={() => change({ a: line.row.id })}
              />
            ) : (
              <GroupRow key={line.key} {...at} group={line} toggle={() => toggle(line.key)} />
            );
          })}
        </tbody>
      </table>
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
