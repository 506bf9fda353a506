import type { Applied, Change } from './fields.ts';
import { detachWorkers, enterState } from './live.ts';
import { releaseReserved } from './money.ts';
import { limitSpending } from './money-events.ts';
import type { Picture } from './picture.ts';

/** Changes by events of the run as a whole. */
export const runEvents: Readonly<Record<string, Change>> = {
  'run.started'(picture, { budget }) {
    if (budget !== undefined) limitSpending(picture, budget);
  },
  'run.paused': (picture) => become(picture, 'paused'),
  'run.stopping': (picture, event) => end(picture, event, 'stopping'),
  'run.failing': (picture, event) => end(picture, event, picture.status === 'stopping' ? 'stopping' : 'failing'),
  'run.finished': (picture, { status }) => become(picture, status),
  'run.resumed': wakeAll,
  'run.forked'(picture, { activation }) {
    detachWorkers(picture);
    const one = picture.live.get(activation);
    if (one !== undefined) {
      releaseReserved(picture, one);
      enterState(picture, activation, 'ready');
    }
    wakeAll(picture);
  },
};

function become(picture: Picture, status: string): void {
  picture.status = status;
}

function end(picture: Picture, { inFlight }: Applied, status: string): void {
  if (inFlight === 'cancel') detachWorkers(picture);
  become(picture, status);
}

/** Wakes all activations that no worker executes and that do not wait for anything outside the run. */
function wakeAll(picture: Picture): void {
  picture.status = 'running';
  for (const [id, { state, waitsFor }] of picture.live) {
    const isAsking = waitsFor?.type === 'person' || waitsFor?.type === 'event' || waitsFor?.asks === true;
    if (state !== 'working' && !isAsking) enterState(picture, id, 'ready');
  }
}
