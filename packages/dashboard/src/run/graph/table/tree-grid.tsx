import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { useMemo, useRef, useState } from 'react';
import { useRowHeight } from '../../../kit/tables/virtual-table.tsx';
import { formatCost, formatCount } from '../../../kit/values/format.ts';
import { Status } from '../../../kit/values/status.tsx';
import { useGraphSearch } from '../../follow/use-graph-search.ts';
import type { GraphView } from '../view/graph-view.ts';
import type { NodeView } from '../view/node-view.ts';
import classes from './tree-grid.module.css';

interface TreeGridProps {
  readonly views: ReadonlyMap<string, GraphView>;
  /** Key of the graph. */
  readonly of: string;
}

const columns = ['Node', 'Type', 'State', 'Runs', 'At work', 'Units', 'Cost'] as const;

/** The nodes of a graph as a table, with those of graphs inside them: the content of the picture, for graphs of any size. */
export function TreeGrid({ views, of }: TreeGridProps) {
  const [search, move] = useGraphSearch();
  const open = useMemo(() => new Set(search.open), [search.open]);
  const rows = rowsOf(views, of, open);
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  });
  const [focused, setFocused] = useState(0);
  const items = virtual.getVirtualItems();
  const toggle = ({ node }: Row) => {
    if (node.graph === undefined) return;
    const now = open.has(node.graph) ? [...open].filter((key) => key !== node.graph) : [...open, node.graph];
    move({ open: now.length === 0 ? undefined : now });
  };
  const choose = ({ node }: Row) => move({ n: node.id, in: node.key === of ? undefined : node.key, a: undefined });
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[focused];
    const to = { ArrowDown: focused + 1, ArrowUp: focused - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(rows.length - 1, to));
      setFocused(next);
      virtual.scrollToIndex(next);
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus());
    } else if (row === undefined) return;
    else if (event.key === 'Enter') choose(row);
    else if ((event.key === 'ArrowRight' && row.isOpen === false) || (event.key === 'ArrowLeft' && row.isOpen))
      toggle(row);
  };
  return (
    <div ref={scroller} className={`${classes['scroller']} panel`}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a tree grid is what ARIA has for it
        role="treegrid"
        aria-label="Nodes"
        aria-rowcount={rows.length + 1}
        className={classes['table']}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={items[0]?.start ?? 0} />
          {items.map(({ index }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <GridRow
                key={row.node.place}
                row={row}
                index={index}
                isEntry={index === Math.min(focused, rows.length - 1)}
                isChosen={row.node.id === search.n && row.node.key === (search.in ?? of)}
                toggle={() => toggle(row)}
                choose={() => {
                  setFocused(index);
                  choose(row);
                }}
              />
            );
          })}
          <Space height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  );
}

/** Room of the rows that are not drawn. */
const Space = ({ height }: { readonly height: number }) =>
  height > 0 ? (
    <tr aria-hidden>
      <td colSpan={columns.length} style={{ height, padding: 0, border: 0 }} />
    </tr>
  ) : null;

interface GridRowProps {
  readonly row: Row;
  readonly index: number;
  readonly isEntry: boolean;
  readonly isChosen: boolean;
  readonly toggle: () => void;
  readonly choose: () => void;
}

function GridRow({ row, index, isEntry, isChosen, toggle, choose }: GridRowProps) {
  const { node, depth, isOpen, position, siblings } = row;
  const { units } = node;
  return (
    <tr
      data-row={index}
      data-node={node.id}
      data-state={node.status}
      aria-rowindex={index + 2}
      aria-level={depth + 1}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      aria-selected={isChosen}
      tabIndex={isEntry ? 0 : -1}
      onClick={choose}
    >
      <th scope="row" style={{ paddingLeft: 12 + depth * 18 }}>
        {isOpen !== undefined && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={isOpen ? `Fold ${node.id}` : `Unfold ${node.id}`}
            onClick={(event) => {
              event.stopPropagation();
              toggle();
            }}
          >
            {isOpen ? <ChevronDown aria-hidden size={14} /> : <ChevronRight aria-hidden size={14} />}
          </button>
        )}
        {node.id}
      </th>
      <td>{node.type}</td>
      <td>
        <Status of={node.status} />
      </td>
      <td>{formatCount(node.runs)}</td>
      <td>{formatCount(node.live)}</td>
      <td>
        {units !== undefined && `${formatCount(units.completed)} of ${formatCount(units.total)}`}
        {units !== undefined && units.failed > 0 && `, ${formatCount(units.failed)} failed`}
      </td>
      <td>{formatCost(node.microUsd)}</td>
    </tr>
  );
}

/** A row of the table: a node, at its depth in the graphs. */
interface Row {
  readonly node: NodeView;
  readonly depth: number;
  /** Its graph is unfolded; undefined: there is none inside it. */
  readonly isOpen: boolean | undefined;
  /** Position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
}

/** Returns the rows of a graph, with those of the graphs that are unfolded inside it. */
function rowsOf(views: ReadonlyMap<string, GraphView>, key: string, open: ReadonlySet<string>): readonly Row[] {
  return inside(views, { key, depth: 0 }, open);
}

function inside(
  views: ReadonlyMap<string, GraphView>,
  { key, depth }: { readonly key: string; readonly depth: number },
  open: ReadonlySet<string>,
): readonly Row[] {
  const nodes = views.get(key)?.nodes ?? [];
  return nodes.flatMap((node, at) => {
    const { graph } = node;
    const isOpen = graph === undefined ? undefined : open.has(graph);
    const row: Row = { node, depth, isOpen, position: at + 1, siblings: nodes.length };
    return graph === undefined || isOpen === false
      ? [row]
      : [row, ...inside(views, { key: graph, depth: depth + 1 }, open)];
  });
}
