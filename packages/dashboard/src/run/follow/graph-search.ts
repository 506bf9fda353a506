import type { SearchOf } from '../../kit/values/search.ts';
import { count, eventId, oneOf, searchOf, text, texts } from '../../kit/values/search.ts';

/** What an address names of the graphs of a run. */
export const parseGraphSearch = searchOf({
  /** Key of the graph inside a node; absent: the root graph. */
  g: text,
  /** Keys of the graphs that are open inside their nodes. */
  open: texts,
  /** Chosen node, and the key of its graph where that is another one than the one that fills the picture. */
  n: text,
  in: text,
  /** Chosen activation of the node. */
  a: text,
  /** Event of the journal; absent: the newest. */
  at: eventId,
  /** The selected iteration of a loop, and the first node of the loop. */
  iteration: count,
  loop: text,
  /** First unit of the list of units. */
  unit: count,
  view: oneOf('table', 'picture'),
});

/** See {@link parseGraphSearch}. */
export type GraphSearch = SearchOf<typeof parseGraphSearch>;
