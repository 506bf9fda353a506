import type { RunEvent } from '@millrace/client';
import { activationEvents } from './activation-events.ts';
import type { Change, Fields } from './fields.ts';
import { moneyEvents } from './money-events.ts';
import type { Picture } from './picture.ts';
import { emptyPicture } from './picture.ts';
import { runEvents } from './run-events.ts';
import { scopeEvents } from './scope-events.ts';

/** Returns the picture of a run after these events, the first ones of its journal. */
export function fold(events: Iterable<RunEvent>): Picture {
  const picture = emptyPicture();
  for (const event of events) apply(picture, event);
  return picture;
}

/** Changes a picture by the next event of its run. */
export function apply(picture: Picture, { at, event }: RunEvent): void {
  picture.at = at;
  changes[event.type]?.(picture, { ...(event as unknown as Fields), at }); // the journal's own fields
}

const changes: Readonly<Record<string, Change>> = {
  ...runEvents,
  ...scopeEvents,
  ...activationEvents,
  ...moneyEvents,
};
