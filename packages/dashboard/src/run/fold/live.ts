import { releaseReserved } from './money.ts';
import type { LiveActivation, LiveState, Picture, Wait } from './picture.ts';
import { factsOf, placeOf } from './picture.ts';

/** Changes the state of an activation, if it is live, and the reason why it waits. */
export function enterState(picture: Picture, id: string, state: LiveState, waitsFor?: Wait): void {
  const one = picture.live.get(id);
  if (one === undefined) return;
  const { live } = factsOf(picture, placeOf(one.graph, one.node));
  live[one.state] -= 1;
  live[state] += 1;
  one.state = state;
  one.waitsFor = waitsFor;
}

/** Removes a settled activation; its remaining reservations are lost. */
export function settle(picture: Picture, id: string): LiveActivation | undefined {
  const one = picture.live.get(id);
  if (one === undefined) return undefined;
  releaseReserved(picture, one);
  factsOf(picture, placeOf(one.graph, one.node)).live[one.state] -= 1;
  picture.live.delete(id);
  picture.scopes.get(one.scope)?.live.delete(id);
  return one;
}

/** Takes the activations that are executing from their workers. */
export function detachWorkers(picture: Picture): void {
  for (const [id, { state }] of picture.live) if (state === 'working') enterState(picture, id, 'ready');
}
