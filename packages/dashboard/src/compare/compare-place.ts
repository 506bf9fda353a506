/** Views of two runs. */
export const compareViews = { steps: 'Steps', graph: 'Graph', settings: 'Settings' } as const;

/** Place in the comparison of two runs that an address names. */
export interface ComparePlace {
  readonly view?: keyof typeof compareViews | undefined;
  /** Only pairs that differ are shown. */
  readonly only?: 'differences' | undefined;
  /** Shows or folds the activations that both runs have in common; absent: folded when there are many. */
  readonly common?: 'shown' | 'folded' | undefined;
  /** Activations of the pair whose drawer is open: of the first run, and of the other one. */
  readonly a?: string | undefined;
  readonly b?: string | undefined;
  /** Graph of the picture by its key; absent: the root graph. */
  readonly g?: string | undefined;
  /** Node of the picture whose pairs are listed. */
  readonly n?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export function parseComparePlace(search: Readonly<Record<string, unknown>>): ComparePlace {
  const { view, only, common, a, b, g, n } = search;
  return {
    ...(view === 'graph' || view === 'settings' ? { view } : {}),
    ...(only === 'differences' ? { only } : {}),
    ...(common === 'shown' || common === 'folded' ? { common } : {}),
    ...(isActivation(a) ? { a } : {}),
    ...(isActivation(b) ? { b } : {}),
    // An id of a node may look like a number.
    ...(isText(g) ? { g: String(g) } : {}),
    ...(isText(n) ? { n: String(n) } : {}),
  };
}

const isActivation = (value: unknown): value is string => typeof value === 'string' && /^a\d{1,15}$/.test(value);

const isText = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
