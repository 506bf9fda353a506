import type { RunEvent, RunHandle } from '@millrace/client';
import { createArrivals } from './arrivals.ts';
import { createAttendance } from './attendance.ts';
import type { LiveOutputs } from './live-outputs.ts';
import { createLiveOutputs } from './live-outputs.ts';

/** Events that a page keeps of one run; the rest of a longer journal is asked of the server. */
const mostEvents = 20_000;

/** The journal of a run as far as it is loaded. */
export interface Journal {
  readonly events: readonly RunEvent[];
  /** True when these are all events there are now. */
  readonly isWhole: boolean;
}

/** The journal of a run, which grows while somebody looks at it, and what is said meanwhile. */
export interface RunLog {
  /** Undefined until the events that there are have been loaded. */
  journal(): Journal | undefined;
  /** Error because of which it stands still. */
  error(): unknown;
  readonly liveOutputs: LiveOutputs;
  /** Follows the run while there are listeners and the page is visible. */
  subscribe(listener: () => void): () => void;
  /** Follows the run anew: it went on after its end, or the server is back. */
  resume(): void;
}

/** Creates the log of a run. Nothing is loaded before somebody listens. */
export function createRunLog(run: RunHandle): RunLog {
  const liveOutputs = createLiveOutputs();
  let journal: Journal | undefined;
  let error: unknown;
  let following: AbortController | undefined;
  const arrivals = createArrivals<RunEvent>((events) => {
    liveOutputs.settle(events);
    journal = { events: (journal?.events ?? []).concat(events), isWhole: true };
    tell();
  });

  async function follow(signal: AbortSignal): Promise<void> {
    const loaded = await loadJournal(run, journal?.events ?? [], signal);
    if (signal.aborted) return;
    journal = loaded;
    tell();
    if (!loaded.isWhole) return;
    for await (const one of run.follow({ after: loaded.events.at(-1)?.id ?? '0-0', signal })) {
      if (signal.aborted) return;
      if (one.type === 'event') arrivals.add(one.event);
      else liveOutputs.hear(one.said);
    }
  }

  function start(): void {
    if (following !== undefined || journal?.isWhole === false) return;
    const attempt = new AbortController();
    following = attempt;
    error = undefined;
    follow(attempt.signal)
      .catch((reason: unknown) => {
        if (attempt.signal.aborted) return;
        error = reason;
        tell();
      })
      .finally(() => {
        if (following === attempt) following = undefined;
      });
  }

  function stop(): void {
    following?.abort();
    following = undefined;
    arrivals.flush();
  }

  const { subscribe, tell } = createAttendance({ start, stop });
  return { journal: () => journal, error: () => error, liveOutputs, subscribe, resume: start };
}

/** Loads the events after those that are known, as far as they are kept. */
async function loadJournal(run: RunHandle, known: readonly RunEvent[], signal: AbortSignal): Promise<Journal> {
  const added: RunEvent[] = [];
  for await (const event of run.journal(known.at(-1)?.id)) {
    added.push(event);
    if (signal.aborted) break;
    if (known.length + added.length >= mostEvents) return { events: known.concat(added), isWhole: false };
  }
  return { events: known.concat(added), isWhole: true };
}
