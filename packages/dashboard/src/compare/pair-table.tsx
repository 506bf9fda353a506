import type { TimelineRow } from '../activations/timeline-row.ts';
import { headLabel, workedMs } from '../activations/timeline-row.ts';
import { useRowHeight, useVirtualRows, VirtualTable } from '../kit/tables/virtual-table.tsx';
import { formatDuration, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import classes from './compare.module.css';
import type { Pair } from './pairs.ts';
import { differenceOf } from './totals.tsx';
import { Verdict } from './verdict.tsx';

const columns = ['Compared', 'Node', 'A', 'B', 'Time', 'Cost'] as const;

interface PairTableProps {
  readonly pairs: readonly Pair[];
  /** Pair whose drawer is open. */
  readonly open: Pair | undefined;
  readonly show: (pair: Pair) => void;
}

/** Pairs of activations as rows, of which only the visible ones are in the document. */
export function PairTable({ pairs, open, show }: PairTableProps) {
  const rows = useVirtualRows<HTMLTableSectionElement>({ count: pairs.length, rowHeight: useRowHeight() });
  return (
    <VirtualTable
      label="Activations"
      className={classes['pairs']}
      columns={columns}
      of={rows}
      count={pairs.length}
      hasLines
    >
      {(index, place) => {
        const pair = pairs[index];
        return pair === undefined ? null : (
          <tr key={`${pair.a?.id} ${pair.b?.id}`} {...place} data-open={pair === open} onClick={() => show(pair)}>
            <Cells pair={pair} show={show} />
          </tr>
        );
      }}
    </VirtualTable>
  );
}

function Cells({ pair, show }: { readonly pair: Pair; readonly show: (pair: Pair) => void }) {
  const { a, b, verdict, isCommon } = pair;
  const { node = '', graph = '', iteration, unit } = b ?? a ?? {};
  return (
    <>
      <td>
        <Verdict of={verdict} />
      </td>
      <td title={graph === '' ? node : `${graph}/${node}`}>
        <button
          type="button"
          onClick={(event) => {
            event.stopPropagation();
            show(pair);
          }}
        >
          {node === '' ? 'Vote' : node}
        </button>
        {graph !== '' && <small>{graph}</small>}
        {iteration !== undefined && <small>iteration {iteration}</small>}
        {unit !== undefined && <small>unit {unit + 1}</small>}
      </td>
      <Side of={a} />
      <Side of={b} />
      <td>{a === undefined || b === undefined || isCommon ? '' : timeBetween(a, b)}</td>
      <td>{a === undefined || b === undefined || isCommon ? '' : costBetween(a, b)}</td>
    </>
  );
}

/** One activation of a pair: its id, its state unless it is completed, and its first words. */
function Side({ of }: { readonly of: TimelineRow | undefined }) {
  if (of === undefined) return <td>–</td>;
  const { id, state, head } = of;
  return (
    <td title={head === undefined ? undefined : headLabel(head)}>
      <code>{id}</code>
      {state === 'completed' ? <span>{head === undefined ? '' : headLabel(head)}</span> : <Status of={state} />}
    </td>
  );
}

function timeBetween(a: TimelineRow, b: TimelineRow): string {
  if (a.settledAt === undefined || b.settledAt === undefined) return '';
  return differenceOf(workedMs(b, b.settledAt) - workedMs(a, a.settledAt), formatDuration);
}

const costBetween = ({ microUsd: a = 0 }: TimelineRow, { microUsd: b = 0 }: TimelineRow): string =>
  differenceOf(b - a, formatMoney);
