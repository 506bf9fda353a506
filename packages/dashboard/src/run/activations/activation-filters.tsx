import { useMemo } from 'react';
import { FilterSelect } from '../../kit/controls/filter-select.tsx';
import { Toolbar } from '../../kit/layout/toolbar.tsx';
import { formatCount, formatCounted } from '../../kit/values/format.ts';
import type { TimelineRow } from '../timeline/timeline-row.ts';
import type { ActivationsPlace } from './activations-place.ts';
import { orders, states } from './activations-place.ts';
import { pathOf } from './choose-rows.ts';

interface ActivationFiltersProps {
  readonly rows: readonly TimelineRow[];
  /** Number of activations that the filters leave. */
  readonly found: number;
  readonly place: ActivationsPlace;
  readonly change: (changed: ActivationsPlace) => void;
}

/** Units that can be chosen from a list; of more units the bars of the timeline are the way in. */
const mostUnits = 500;

/** Filters of the table of activations, and its order. */
export function ActivationFilters({ rows, found, place, change }: ActivationFiltersProps) {
  const { nodes, turns, units } = useMemo(() => valuesOf(rows), [rows]);
  const isFiltered = found < rows.length;
  return (
    <Toolbar
      end={
        <>
          {isFiltered && (
            <button
              type="button"
              className="button"
              onClick={() => change({ node: undefined, state: undefined, turn: undefined, unit: undefined })}
            >
              Clear all filters
            </button>
          )}
          <span>
            {isFiltered ? `${formatCount(found)} of ${formatCount(rows.length)}` : formatCounted(found, 'activation')}
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
      {turns.length > 0 && (
        <FilterSelect
          label="Turn"
          value={place.turn?.toString()}
          options={optionsOf(turns.map(String))}
          choose={(turn) => change({ turn: turn === undefined ? undefined : Number(turn) })}
        />
      )}
      {units.length > 0 && units.length <= mostUnits && (
        <FilterSelect
          label="Unit"
          value={place.unit?.toString()}
          options={units.map((unit) => ({ value: String(unit), words: String(unit + 1) }))}
          choose={(unit) => change({ unit: unit === undefined ? undefined : Number(unit) })}
        />
      )}
      <FilterSelect
        label="Sort"
        value={place.sort}
        options={[
          { value: 'took', words: orders.took },
          { value: 'cost', words: orders.cost },
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
  const turns = new Set<number>();
  const units = new Set<number>();
  for (const row of rows) {
    nodes.add(pathOf(row));
    if (row.turn !== undefined) turns.add(row.turn);
    if (row.unit !== undefined) units.add(row.unit);
  }
  return { nodes: [...nodes], turns: [...turns].sort(ascending), units: [...units].sort(ascending) };
}

const ascending = (one: number, other: number): number => one - other;
