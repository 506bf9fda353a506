import { RequestError } from '@millrace/core';
import type { RunDescription } from '@millrace/runtime';

/** Throws RequestError for an event that a journal has not reached, because no certain events follow it. */
export function assertReached({ run, seen }: Pick<RunDescription, 'run' | 'seen'>, event: string): void {
  if (Number.parseInt(event, 10) <= Number.parseInt(seen, 10)) return;
  throw new RequestError(
    'EVENT_UNKNOWN',
    `Run ${run} has no event ${event}: its journal does not reach that far. Follow it again from its beginning.`,
  );
}
