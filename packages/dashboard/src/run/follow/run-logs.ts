import { millrace } from '../../api/millrace.ts';
import { queryClient } from '../../api/query-client.ts';
import type { JournalPosition } from './journal-copy.ts';
import type { RunLog } from './run-log.ts';
import { createRunLog } from './run-log.ts';
import { graphsQuery } from './run-queries.ts';

/** Logs that are kept at most, so that going back to a run shows it at once. */
const mostLogs = 4;

const logs = new Map<string, RunLog>();

/** Returns the log of a run: all views of the page share one. */
export function logOf(run: string): RunLog {
  const log = logs.get(run) ?? createRunLog(millrace.runs.get(run), () => reachedBy(run));
  logs.delete(run);
  logs.set(run, log);
  for (const [oldest] of logs) {
    if (logs.size <= mostLogs) break;
    logs.delete(oldest);
  }
  return log;
}

/** Returns the last event of a run that its graphs show. */
const reachedBy = (run: string): Promise<JournalPosition> => queryClient.ensureQueryData(graphsQuery(run));
