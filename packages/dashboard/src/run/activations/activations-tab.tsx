import type { Activation } from '@millrace/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { TimelineRow } from '../../activations/timeline-row.ts';
import { begunWith, headLabel, workedMs } from '../../activations/timeline-row.ts';
import { FilterSelect } from '../../kit/controls/choices.tsx';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { useRowHeight, useVirtualRows, VirtualTable } from '../../kit/tables/virtual-table.tsx';
import { formatCost, formatCount, formatCounted, formatDuration, formatInstant } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';
import { useServerNow } from '../../kit/values/time.tsx';
import { ActivationDrawer } from './activation-drawer.tsx';
import classes from './activation-table.module.css';
import type { ActivationsSearch } from './activations-search.ts';
import { orders, states } from './activations-search.ts';
import { chooseRows, pathOf } from './choose-rows.ts';
import { MissingRows } from './missing-rows.tsx';
import { useCalls } from './use-calls.ts';
import { useTimeline } from './use-timeline.ts';

/** Each time that a node was due: a table with filters, and a drawer with everything about one of them. */
export function ActivationsTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const search = useSearch({ from: '/runs/$run/activations' });
  const navigate = useNavigate({ from: '/runs/$run/activations' });
  const { data: rows, missing, loadMore, error, refetch } = useTimeline(run);
  const now = useServerNow();
  // Rows under way change their order when they are loaded again, not with each second.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const chosen = useMemo(() => chooseRows(rows ?? [], search, now), [rows, search]);
  if (error !== null && rows === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (rows === undefined) return <Skeleton rows={8} />;
  if (rows.length === 0) return <Empty title="No node has run yet." />;
  const change = (changed: ActivationsSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const at = chosen.findIndex(({ id }) => id === search.a);
  return (
    <>
      <Problem error={error} retry={() => void refetch()} />
      <ActivationFilters rows={rows} found={chosen.length} search={search} change={change} />
      <MissingRows missing={missing} loadMore={loadMore} />
      {chosen.length === 0 ? (
        <Empty title="No activation matches these filters.">
          <button type="button" className="button" onClick={() => void navigate({ search: {} })}>
            Clear all filters
          </button>
        </Empty>
      ) : (
        <ActivationTable run={run} rows={chosen} now={now} open={search.a} show={(a) => change({ a })} />
      )}
      {search.a !== undefined && (
        <ActivationDrawer
          run={run}
          activation={search.a}
          show={(a) => change({ a })}
          before={chosen[at - 1]?.id}
          after={at < 0 ? undefined : chosen[at + 1]?.id}
        />
      )}
    </>
  );
}

interface ActivationFiltersProps {
  readonly rows: readonly TimelineRow[];
  /** Number of activations that the filters leave. */
  readonly found: number;
  readonly search: ActivationsSearch;
  readonly change: (changed: ActivationsSearch) => void;
}

/** Units that can be chosen from a list; of more units the bars of the timeline are the way in. */
const mostUnits = 500;

/** Filters of the table of activations, and its order. */
function ActivationFilters({ rows, found, search: place, change }: ActivationFiltersProps) {
  const { nodes, iterations, units } = useMemo(() => valuesOf(rows), [rows]);
  const isFiltered = found < rows.length;
  return (
    <Toolbar
      end={
        <>
          {isFiltered && (
            <button
              type="button"
              className="button"
              onClick={() => change({ node: undefined, state: undefined, iteration: undefined, unit: undefined })}
            >
              Clear all filters
            </button>
          )}
          <span>
            {isFiltered
              ? `${formatCount(found)} of ${formatCounted(rows.length, 'activation')}`
              : formatCounted(found, 'activation')}
          </span>
        </>
      }
    >
      <FilterSelect label="Node" value={place.node} options={optionsOf(nodes)} choose={(node) => change({ node })} />
      <FilterSelect
        label="State"
        value={place.state}
        options={optionsOf(states)}
        choose={(state) => change({ state: states.find((known) => known === state) })}
      />
      {iterations.length > 0 && (
        <FilterSelect
          label="Iteration"
          value={place.iteration?.toString()}
          options={optionsOf(iterations.map(String))}
          choose={(iteration) => change({ iteration: iteration === undefined ? undefined : Number(iteration) })}
        />
      )}
      {units.length > 0 && units.length <= mostUnits && (
        <FilterSelect
          label="Unit"
          value={place.unit?.toString()}
          options={units.map((unit) => ({ value: String(unit), label: String(unit + 1) }))}
          choose={(unit) => change({ unit: unit === undefined ? undefined : Number(unit) })}
        />
      )}
      <FilterSelect
        label="Sort"
        value={place.sort}
        options={[
          { value: 'took', label: orders.took },
          { value: 'cost', label: orders.cost },
        ]}
        none="in order"
        choose={(sort) => change({ sort: sort === 'took' || sort === 'cost' ? sort : undefined })}
      />
    </Toolbar>
  );
}

const optionsOf = (values: readonly string[]) => values.map((value) => ({ value }));

function valuesOf(rows: readonly TimelineRow[]) {
  const nodes = new Set<string>();
  const iterations = new Set<number>();
  const units = new Set<number>();
  for (const row of rows) {
    nodes.add(pathOf(row));
    if (row.iteration !== undefined) iterations.add(row.iteration);
    if (row.unit !== undefined) units.add(row.unit);
  }
  return { nodes: [...nodes], iterations: [...iterations].sort(ascending), units: [...units].sort(ascending) };
}

const ascending = (one: number, other: number): number => one - other;

const columns = ['Id', 'Node', 'State', 'Ready at', 'Queued', 'Took', 'Cost', 'Output'] as const;

interface ActivationTableProps {
  readonly run: string;
  readonly rows: readonly TimelineRow[];
  readonly now: number;
  /** Id of the activation whose drawer is open. */
  readonly open: string | undefined;
  readonly show: (activation: string) => void;
}

/** Rows of activations, of which only the visible ones are in the document. */
function ActivationTable({ run, rows, now, open, show }: ActivationTableProps) {
  const virtual = useVirtualRows<HTMLTableSectionElement>({ count: rows.length, rowHeight: useRowHeight() });
  const ids = virtual.rows.flatMap(({ index }) => rows[index]?.id ?? []);
  const details = useCalls(run, ids);
  return (
    <VirtualTable
      label="Activations"
      className={classes['table']}
      columns={columns}
      of={virtual}
      count={rows.length}
      hasLines
    >
      {(index, place) => {
        const row = rows[index];
        return row === undefined ? null : (
          <tr key={row.id} {...place} data-open={row.id === open} onClick={() => show(row.id)}>
            <Cells
              row={begunWith(row, details.get(row.id)?.calls)}
              head={outputHead(details.get(row.id))}
              now={now}
              show={show}
            />
          </tr>
        );
      }}
    </VirtualTable>
  );
}

/** Returns the first words of the output of an activation. */
function outputHead(activation: Activation | undefined): string | undefined {
  const text = activation?.lastOutput?.text;
  return text === undefined ? undefined : headLabel(text);
}

interface CellsProps {
  readonly row: TimelineRow;
  /** First words of its output. */
  readonly head: string | undefined;
  readonly now: number;
  readonly show: (activation: string) => void;
}

function Cells({ row, head, now, show }: CellsProps) {
  const { id, node, graph, unit, iteration, state, readyAt, startedAt, microUsd } = row;
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
        {iteration !== undefined && <small>iteration {iteration}</small>}
        {unit !== undefined && <small>unit {unit + 1}</small>}
      </td>
      <td>
        <Status of={state} />
      </td>
      <td>{formatInstant(readyAt)}</td>
      <td>{startedAt === undefined ? '–' : formatDuration(startedAt - readyAt)}</td>
      <td>{began ? formatDuration(workedMs(row, now)) : '–'}</td>
      <td>{formatCost(microUsd)}</td>
      <td title={head}>{head}</td>
    </>
  );
}
