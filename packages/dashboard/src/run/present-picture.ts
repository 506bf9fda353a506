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

/** Returns the picture of a run now; undefined while its journal is not loaded. */
export function presentPicture(log: RunLog): Picture | undefined {
  const journal = log.journal();
  if (journal?.isWhole === true) return picturesOf(log).at(journal.events, journal.events.length);
  return journal?.picture;
}
