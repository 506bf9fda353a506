import { serveTasks } from '../processes/serve-tasks.ts';
import { pythonRegex } from './python-regex.ts';
import type { SearchTask } from './search-in-child.ts';
import { packed } from './search-in-child.ts';

serveTasks<SearchTask, Int32Array>(({ pattern, flags, text, limit }) =>
  packed(pythonRegex(pattern, flags).findNow(text, { limit })),
);
