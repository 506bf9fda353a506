import type { RunEvent } from '@millrace/client';
import { apply } from './fold.ts';
import type { Picture } from './picture.ts';
import { emptyPicture } from './picture.ts';

/** Events between two kept pictures. */
const keyframeEvery = 5_000;

/** The pictures of one run, each made of the nearest one before it. */
export interface Pictures {
  /** Returns the picture after the first `count` of these events; the same events must come first in later calls. */
  at(events: readonly RunEvent[], count: number): Picture;
}

/** Creates the pictures of a run. */
export function createPictures(): Pictures {
  const keyframes: Picture[] = [emptyPicture()];
  let newest: Picture | undefined;
  let newestCount = 0;

  function foldTo(events: readonly RunEvent[], to: number): Picture {
    const at = Math.min(keyframes.length - 1, Math.floor(to / keyframeEvery));
    const picture = structuredClone(keyframes[at] ?? emptyPicture());
    for (let next = at * keyframeEvery; next < to; next += 1) step(picture, events, next);
    return picture;
  }

  function step(picture: Picture, events: readonly RunEvent[], next: number): void {
    const event = events[next];
    if (event === undefined) return;
    apply(picture, event);
    if (next + 1 === keyframes.length * keyframeEvery) keyframes.push(structuredClone(picture));
  }

  return {
    at(events, count) {
      if (newest !== undefined && count < newestCount) return foldTo(events, count);
      const picture = newest ?? foldTo(events, 0);
      for (let next = newestCount; next < count; next += 1) step(picture, events, next);
      newestCount = count;
      // The parts are mutable; a new object signals the change.
      newest = { ...picture };
      return newest;
    },
  };
}
