import type { JSONPathQuery } from 'json-p3';
import { compile } from 'json-p3';
import { serveThread } from '../threads/serve-thread.ts';
import type { Locations, SelectTask } from './select-in-thread.ts';

serveThread<SelectTask, Locations>(({ path, value }) =>
  // The value was read from JSON.
  [...compile(path).query(value as Parameters<JSONPathQuery['query']>[0]).nodes].map(({ location }) => location),
);
