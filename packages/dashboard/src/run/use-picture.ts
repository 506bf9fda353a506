import { useMemo } from 'react';
import type { Picture } from './fold/picture.ts';
import type { Pictures } from './fold/pictures.ts';
import { createPictures } from './fold/pictures.ts';
import { logOf } from './follow/run-logs.ts';
import { eventsUpTo } from './scrubber/place.ts';
import { useJournal } from './use-journal.ts';

const pictures = new WeakMap<object, Pictures>();

/** Returns the picture of a run now, or after an event; undefined while its journal is loaded, or is too long for that. */
export function usePicture(run: string, at: string | undefined): Picture | undefined {
  const { data } = useJournal(run);
  const log = logOf(run);
  return useMemo(() => {
    if (data === undefined || !data.isWhole) return undefined;
    const made = pictures.get(log) ?? createPictures();
    pictures.set(log, made);
    return made.at(data.events, eventsUpTo(data.events, at));
  }, [data, log, at]);
}
