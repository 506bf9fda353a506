import type { SearchOf } from '../../kit/values/search.ts';
import { flag, oneOf, searchOf, text } from '../../kit/values/search.ts';
import { formatWindow, parseWindow } from './timeline-window.ts';

/** What an address names of a timeline. */
export const parseTimelineSearch = searchOf({
  by: oneOf('node', 'iteration'),
  failed: flag,
  /** Shows only the critical path. */
  critical: flag,
  /** The pinned window; absent: it follows the visible rows. */
  window(value) {
    const span = parseWindow(value);
    return span && formatWindow(span);
  },
  /** Id of the activation whose drawer is open. */
  a: text,
});

/** See {@link parseTimelineSearch}. */
export type TimelineSearch = SearchOf<typeof parseTimelineSearch>;
