// Records the modules that a process imports in the file RECORDED_IMPORTS, and `fetch` if Node.js has loaded it: `node --import` this file.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  register(import.meta.url);
  process.once('exit', () => {
    const fetches = process.moduleLoadList.includes('NativeModule internal/deps/undici/undici');
    if (fetches) appendFileSync(process.env.RECORDED_IMPORTS, 'fetch\n');
  });
}

/** Hook of the loader, which runs in a thread of its own. */
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  appendFileSync(process.env.RECORDED_IMPORTS, `${resolved.url}\n`);
  return resolved;
}
