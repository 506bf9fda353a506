// Runs a storm from the sources, with the loader of the test runner: `npm run chaos -- --seconds 60 --seed 1`.
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const conditions = ['source', 'module', 'node', 'development|production'];
const server = await createViteServer({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
});
try {
  const { main } = await server.ssrLoadModule('/test/chaos/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await server.close();
}
