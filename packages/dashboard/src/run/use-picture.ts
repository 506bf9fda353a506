import { useMemo } from 'react';
import type { Picture } from './fold/picture.ts';
import { logOf } from './follow/run-logs.ts';
import { picturesOf } from './present-picture.ts';
import { eventsUpTo } from './scrubber/place.ts';
import { useJournal } from './use-journal.ts';

/** Returns the picture of a run now, or after an event; undefined while its journal is loaded, and for the past where that is too long. */
export function usePicture(run: string, at: string | undefined): Picture | undefined {
  const { data } = useJournal(run);
  const log = logOf(run);
  return useMemo(() => {
    if (data?.isWhole !== true) return at === undefined ? data?.picture : undefined;
    return picturesOf(log).at(data.events, eventsUpTo(data.events, at));
  }, [data, log, at]);
}
