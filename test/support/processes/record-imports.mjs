// Records the modules that a process imports in the file RECORDED_IMPORTS: `node --import` this file.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

/** Hook of the loader, which runs in a thread of its own. */
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  appendFileSync(process.env.RECORDED_IMPORTS, `${resolved.url}\n`);
  return resolved;
}
