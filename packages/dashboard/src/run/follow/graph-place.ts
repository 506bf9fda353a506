/** Place in the graphs of a run, as an address names it. */
export interface GraphPlace {
  /** Key of the graph inside a node; absent: the root graph. */
  readonly g?: string;
  /** Keys of the graphs that are open inside their nodes. */
  readonly open?: readonly string[];
  /** Chosen node, and the key of its graph where that is another one than the one that fills the picture. */
  readonly n?: string;
  readonly in?: string;
  /** Chosen activation of the node. */
  readonly a?: string;
  /** Event of the journal; absent: the newest. */
  readonly at?: string;
  /** The selected turn of a loop, and the first node of the loop. */
  readonly turn?: number;
  readonly loop?: string;
  /** First unit of the list of units. */
  readonly unit?: number;
  readonly view?: 'table' | 'picture';
}

type Search = Readonly<Record<string, unknown>>;

/** Returns the place in the query of an address; malformed parts are ignored. */
export function parseGraphPlace(search: Search): GraphPlace {
  const { open, at, view } = search;
  const place = {
    ...texts(search, ['g', 'n', 'in', 'a', 'loop']),
    ...numbers(search, ['turn', 'unit']),
    ...(Array.isArray(open) ? { open: open.map(String) } : {}),
    ...(typeof at === 'string' && /^\d+-\d+$/.test(at) ? { at } : {}),
    ...(view === 'table' || view === 'picture' ? { view } : {}),
  };
  return place as GraphPlace; // the fields by their types
}

// An id of a node may look like a number.
const texts = (search: Search, names: readonly string[]): Search =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
    }),
  );

const numbers = (search: Search, names: readonly string[]): Search =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? [[name, value]] : [];
    }),
  );
