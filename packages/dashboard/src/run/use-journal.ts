import { useEffect, useSyncExternalStore } from 'react';
import type { Journal } from './follow/run-log.ts';
import { logOf } from './follow/run-logs.ts';
import { hasEnded, useRun } from './use-run.ts';

/** The journal of a run for one view. */
interface FollowedJournal {
  readonly data: Journal | undefined;
  /** null: none. */
  readonly error: unknown;
  readonly refetch: () => void;
}

/** Loads the journal of a run, and follows what is added to it. */
export function useJournal(run: string): FollowedJournal {
  const log = logOf(run);
  const data = useSyncExternalStore(log.subscribe, log.journal);
  const error = useSyncExternalStore(log.subscribe, log.error) ?? null;
  const { data: facts } = useRun(run);
  const isOver = facts === undefined || hasEnded(facts);
  // A run may go on after its end.
  useEffect(() => {
    if (!isOver) log.resume();
  }, [isOver, log]);
  return { data, error, refetch: log.resume };
}
