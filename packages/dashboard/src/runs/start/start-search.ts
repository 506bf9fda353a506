import { searchOf, text } from '../../kit/values/search.ts';

/** What an address names for the form of a new run. */
export const parseStartSearch = searchOf({
  /** A published workflow: `NAME`, or `NAME@HASH`. */
  workflow: text,
  /** Run whose task and settings the form begins with. */
  from: text,
});
