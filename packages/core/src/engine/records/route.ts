import type { MessageRef } from '../../model/messages/message.ts';
import type { Route } from './activation-events.ts';

/** Edge number of a route by which a node keeps its own output in its context. */
export const selfEdge = -1;

/** Creates a route without the fields that are undefined, in the order in which the journal has them. */
export function createRoute(
  edge: number,
  output: number,
  { dropped, message }: { readonly dropped: true | undefined; readonly message: MessageRef | undefined },
): Route {
  if (dropped === undefined) return message === undefined ? { edge, output } : { edge, output, message };
  return message === undefined ? { edge, output, dropped } : { edge, output, dropped, message };
}
