import { millrace } from '../../api/millrace.ts';
import type { RunLog } from './run-log.ts';
import { createRunLog } from './run-log.ts';

/** Logs that are kept at most, so that going back to a run shows it at once. */
const mostLogs = 4;

const logs = new Map<string, RunLog>();

/** Returns the log of a run: all views of the page share one. */
export function logOf(run: string): RunLog {
  const log = logs.get(run) ?? createRunLog(millrace.runs.get(run));
  logs.delete(run);
  logs.set(run, log);
  for (const [oldest] of logs) {
    if (logs.size <= mostLogs) break;
    logs.delete(oldest);
  }
  return log;
}
