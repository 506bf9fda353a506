import type { TimelineRow } from '../../activations/timeline-row.ts';

/** States that the table of activations is filtered by. */
export const states = ['ready', 'working', 'waiting', 'opened', 'completed', 'failed', 'dropped', 'cancelled'] as const;

/** Orders of the table of activations. */
export const orders = { order: 'Order', took: 'Longest first', cost: 'Most expensive first' } as const;

/** Place in the table of activations that an address names: filters, order, and the activation whose drawer is open. */
export interface ActivationsPlace {
  /** Path of a node: the key of its graph and its id. */
  readonly node?: string | undefined;
  readonly state?: TimelineRow['state'] | undefined;
  /** Turn of the loop around it. */
  readonly turn?: number | undefined;
  /** Number of the unit, from 0. */
  readonly unit?: number | undefined;
  readonly sort?: keyof typeof orders | undefined;
  /** Id of the activation whose drawer is open. */
  readonly a?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export function parseActivationsPlace(search: Readonly<Record<string, unknown>>): ActivationsPlace {
  const { node, state, turn, unit, sort, a } = search;
  return {
    ...(typeof node === 'string' || typeof node === 'number' ? { node: String(node) } : {}),
    ...(states.some((known) => known === state) ? { state: state as TimelineRow['state'] } : {}),
    ...(isCount(turn) ? { turn } : {}),
    ...(isCount(unit) ? { unit } : {}),
    ...(sort === 'took' || sort === 'cost' ? { sort } : {}),
    ...(typeof a === 'string' && /^a\d{1,15}$/.test(a) ? { a } : {}),
  };
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0;
