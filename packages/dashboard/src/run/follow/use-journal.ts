import { useEffect, useSyncExternalStore } from 'react';
import type { Journal } from './journal-copy.ts';
import { logOf } from './run-logs.ts';

/** The journal of a run for one view. */
interface FollowedJournal {
  readonly data: Journal | undefined;
  /** null: none. */
  readonly error: unknown;
  readonly refetch: () => void;
}

/** Loads the journal of a run, and follows it. */
export function useJournal(run: string): FollowedJournal {
  const log = logOf(run);
  const data = useSyncExternalStore(log.subscribe, log.journal);
  const error = useSyncExternalStore(log.subscribe, log.error) ?? null;
  useEffect(() => log.load(), [log]);
  return { data, error, refetch: log.resume };
}
