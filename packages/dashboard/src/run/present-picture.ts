import type { Picture } from './fold/picture.ts';
import type { Pictures } from './fold/pictures.ts';
import { createPictures } from './fold/pictures.ts';
import type { RunLog } from './follow/run-log.ts';

const kept = new WeakMap<RunLog, Pictures>();

/** Returns the pictures of a run: all views of the page share them. */
export function picturesOf(log: RunLog): Pictures {
  const known = kept.get(log) ?? createPictures();
  kept.set(log, known);
  return known;
}

/** Returns the picture of a run now; undefined while its journal is not loaded, or is too long for that. */
export function presentPicture(log: RunLog): Picture | undefined {
  const journal = log.journal();
  return journal?.isWhole === true ? picturesOf(log).at(journal.events, journal.events.length) : undefined;
}
