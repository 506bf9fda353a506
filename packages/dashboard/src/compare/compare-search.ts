import { activationId, oneOf, searchOf, text } from '../kit/values/search.ts';

/** Views of two runs. */
export const compareViews = { steps: 'Steps', graph: 'Graph', settings: 'Settings' } as const;

/** What an address names of the comparison of two runs. */
export const parseCompareSearch = searchOf({
  view: oneOf('steps', 'graph', 'settings'),
  /** Only pairs that differ are shown. */
  only: oneOf('differences'),
  /** Shows or folds the activations that both runs have in common; absent: folded when there are many. */
  common: oneOf('shown', 'folded'),
  /** Activations of the pair whose drawer is open: of the first run, and of the other one. */
  a: activationId,
  b: activationId,
  /** Graph of the picture by its key; absent: the root graph. */
  g: text,
  /** Node of the picture whose pairs are listed. */
  n: text,
});
