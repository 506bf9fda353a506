import type { Activation } from '@millrace/client';
import { useRowHeight } from '../../kit/tables/use-row-height.ts';
import { useVirtualRows } from '../../kit/tables/use-virtual-rows.ts';
import { formatDuration, formatInstant, formatMoney } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { headWords } from '../timeline/head-words.ts';
import { useCalls } from '../timeline/table/use-calls.ts';
import type { TimelineRow } from '../timeline/timeline-row.ts';
import { begunWith, workedMs } from '../timeline/timeline-row.ts';
import classes from './activation-table.module.css';

const columns = ['Id', 'Node', 'State', 'Due', 'Queued', 'Took', 'Cost', 'Output'] as const;

interface ActivationTableProps {
  readonly run: string;
  readonly rows: readonly TimelineRow[];
  readonly now: number;
  /** Id of the activation whose drawer is open. */
  readonly open: string | undefined;
  readonly show: (activation: string) => void;
}

/** Rows of activations, of which only the visible ones are in the document. */
export function ActivationTable({ run, rows, now, open, show }: ActivationTableProps) {
  const {
    body,
    rows: visible,
    height,
    topOf,
  } = useVirtualRows<HTMLTableSectionElement>({ count: rows.length, rowHeight: useRowHeight() });
  const ids = visible.flatMap(({ index }) => rows[index]?.id ?? []);
  const details = useCalls(run, ids);
  return (
    <table className={classes['table']} aria-label="Activations" aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} style={{ height }}>
        {visible.map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <tr
              key={row.id}
              aria-rowindex={item.index + 2}
              className={row.id === open ? classes['open'] : undefined}
              style={{ transform: `translateY(${topOf(item)}px)` }}
              onClick={() => show(row.id)}
            >
              <Cells
                row={begunWith(row, details.get(row.id)?.calls)}
                head={wordsOf(details.get(row.id))}
                now={now}
                show={show}
              />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Returns the first words of the output of an activation. */
function wordsOf(activation: Activation | undefined): string | undefined {
  const text = activation?.lastOutput?.text;
  return text === undefined ? undefined : headWords(text);
}

interface CellsProps {
  readonly row: TimelineRow;
  /** First words of its output. */
  readonly head: string | undefined;
  readonly now: number;
  readonly show: (activation: string) => void;
}

function Cells({ row, head, now, show }: CellsProps) {
  const { id, node, graph, unit, turn, state, readyAt, startedAt, microUsd } = row;
  const began = state !== 'ready';
  return (
    <>
      <td>
        <button type="button" onClick={() => show(id)}>
          <code>{id}</code>
        </button>
      </td>
      <td title={graph === '' ? node : `${graph}/${node}`}>
        <strong>{node === '' ? 'Vote' : node}</strong>
        {graph !== '' && <small>{graph}</small>}
        {turn !== undefined && <small>turn {turn}</small>}
        {unit !== undefined && <small>unit {unit + 1}</small>}
      </td>
      <td>
        <Status of={state} />
      </td>
      <td>{formatInstant(readyAt)}</td>
      <td>{startedAt === undefined ? '–' : formatDuration(startedAt - readyAt)}</td>
      <td>{began ? formatDuration(workedMs(row, now)) : '–'}</td>
      <td>{microUsd === undefined || microUsd === 0 ? '–' : formatMoney(microUsd)}</td>
      <td title={head}>{head}</td>
    </>
  );
}
