import { isEnded } from '@millrace/core/run-status';

/** Tests if a run has ended; a retry or resume may continue it. */
export const hasEnded = ({ status }: { readonly status: string }): boolean => isEnded(status);

const unsettled: ReadonlySet<string> = new Set(['ready', 'working', 'waiting']);

/**
 * Returns the state of a node or an activation of a run that has ended. Its records keep the last state, with which a run
 * continues if it is retried or resumed; until then nothing executes or waits.
 */
export const stateAtEnd = <State extends string>(state: State): State | 'cancelled' =>
  unsettled.has(state) ? 'cancelled' : state;
