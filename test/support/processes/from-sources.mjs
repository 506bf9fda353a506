import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

/**
 * Runs the `main` of a test program from the sources, with the loader of the test runner; its result is the exit code.
 * A program that waits for what never comes ends as soon as nothing keeps its process alive, which is a failure.
 */
export async function runFromSources(module) {
  let ended = false;
  process.once('exit', () => {
    if (ended) return;
    process.stderr.write(`${module} did not end: it waits for something that can no longer happen.\n`);
    process.exitCode = 1;
  });
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const server = await createViteServer({
    root,
    configFile: join(root, 'vitest.config.ts'),
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { main } = await server.ssrLoadModule(module);
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS_')) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } finally {
    ended = true;
    await server.close();
  }
}
