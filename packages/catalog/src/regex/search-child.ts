import { serveTasks } from '../processes/serve-tasks.ts';
import { pythonRegex } from './python-regex.ts';
import type { PatternMatch, SearchTask } from './search-in-child.ts';

/** Longer than the pool's own limit, which ends the process. */
const timeoutMs = 60_000;

serveTasks<SearchTask, readonly PatternMatch[]>(({ pattern, flags, text, limit }) =>
  pythonRegex(pattern, flags).findNow(text, { limit, timeoutMs }),
);
