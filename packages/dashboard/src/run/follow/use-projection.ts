import type { RunProjection } from '@millrace/core/projection';
import { useMemo } from 'react';
import { eventsUpTo } from './place.ts';
import { projectionsOf } from './present-projection.ts';
import { logOf } from './run-logs.ts';
import { useJournal } from './use-journal.ts';

/** Returns the projection of a run now, or after an event; undefined while its journal is loaded, and for the past where that is too long. */
export function useProjection(run: string, at: string | undefined): RunProjection | undefined {
  const { data } = useJournal(run);
  const log = logOf(run);
  return useMemo(() => {
    if (data?.isWhole !== true) return at === undefined ? data?.projection : undefined;
    return projectionsOf(log).at(data.events, eventsUpTo(data.events, at));
  }, [data, log, at]);
}
