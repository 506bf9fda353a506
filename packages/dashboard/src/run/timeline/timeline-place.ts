import type { Arrangement } from './timeline-lines.ts';
import { formatWindow, parseWindow } from './timeline-window.ts';

/** Place in a timeline that an address names. */
export interface TimelinePlace {
  readonly by?: Arrangement | undefined;
  readonly failed?: true | undefined;
  /** Shows only the critical path. */
  readonly critical?: true | undefined;
  /** The pinned window; absent: it follows the visible rows. */
  readonly window?: string | undefined;
  /** Id of the activation whose drawer is open. */
  readonly a?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export function parseTimelinePlace(search: Readonly<Record<string, unknown>>): TimelinePlace {
  const { by, failed, critical, window, a } = search;
  const span = parseWindow(window);
  return {
    ...(by === 'node' || by === 'turn' ? { by } : {}),
    ...(failed === true ? { failed } : {}),
    ...(critical === true ? { critical } : {}),
    ...(span === undefined ? {} : { window: formatWindow(span) }),
    ...(typeof a === 'string' ? { a } : {}),
  };
}
