import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
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

/** Types of events after which the run stands otherwise than before. */
const changesHead = /^run\.|^activation\.(suspended|answered|failed)$/;

/** Loads the journal of a run, and follows what is added to it. */
export function useJournal(run: string): FollowedJournal {
  const queries = useQueryClient();
  const log = logOf(run);
  const data = useSyncExternalStore(log.subscribe, log.journal);
  const error = useSyncExternalStore(log.subscribe, log.error) ?? null;
  const { data: facts } = useRun(run);
  const isOver = facts === undefined || hasEnded(facts);
  // A run may go on after its end.
  useEffect(() => {
    if (!isOver) log.resume();
  }, [isOver, log]);
  // Events that change what the head of the run says come at once, not with its next request.
  const seen = useRef(0);
  useEffect(() => {
    const news = data?.events.slice(seen.current) ?? [];
    seen.current += news.length;
    if (news.some(({ event }) => changesHead.test(event.type)))
      void queries.invalidateQueries({ queryKey: ['run', run], exact: true });
  }, [data, queries, run]);
  return { data, error, refetch: log.resume };
}
