import type { RowState } from '../../activations/timeline-row.ts';
import type { SearchOf } from '../../kit/values/search.ts';
import { activationId, count, oneOf, searchOf, text } from '../../kit/values/search.ts';

/** States that the table of activations is filtered by. */
export const states = [
  'ready',
  'working',
  'waiting',
  'opened',
  'completed',
  'failed',
  'dropped',
  'cancelled',
] as const satisfies readonly RowState[];

/** Orders of the table of activations. */
export const orders = { order: 'Order', took: 'Longest first', cost: 'Most expensive first' } as const;

/** What an address names of the table of activations: filters, order, and the activation whose drawer is open. */
export const parseActivationsSearch = searchOf({
  /** Path of a node: the key of its graph and its id. */
  node: text,
  state: oneOf(...states),
  /** Iteration of the loop around it. */
  iteration: count,
  /** Number of the unit, from 0. */
  unit: count,
  sort: oneOf('took', 'cost'),
  /** Id of the activation whose drawer is open. */
  a: activationId,
});

/** See {@link parseActivationsSearch}. */
export type ActivationsSearch = SearchOf<typeof parseActivationsSearch>;
