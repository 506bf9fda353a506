import { serveThread } from '../threads/serve-thread.ts';
import { pythonRegex } from './python-regex.ts';
import type { PatternMatch, SearchTask } from './search-in-thread.ts';

/** Longer than the pool's own limit, which ends the thread. */
const timeoutMs = 60_000;

serveThread<SearchTask, readonly PatternMatch[]>(({ pattern, flags, text, limit }) =>
  pythonRegex(pattern, flags).findNow(text, { limit, timeoutMs }),
);
