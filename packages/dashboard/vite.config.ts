import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { licencesOf } from './build/licences.ts';

/** Address of the API that the development server passes requests to: `npm run dev -- --api URL`. */
const api = argumentAfter('--api') ?? 'http://127.0.0.1:4700';

export default defineConfig({
  base: '/ui/',
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  plugins: [react(), compressed()],
  define: { __LICENCES__: JSON.stringify(licencesOf(fileURLToPath(new URL('package.json', import.meta.url)))) },
  // Data URLs and inline scripts would violate the content security policy.
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 650,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // A screen loads some ten files: small modules that screens share are in one chunk, not in one for each of them.
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'] },
            {
              name: 'kit',
              test: /dashboard.src.(kit|frame)|node_modules.(@base-ui|@floating-ui|@tanstack|lucide-react)/,
              minShareCount: 3,
            },
            { name: 'run', test: /dashboard.src.run.(?!graph|compare)/, minShareCount: 3 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: { proxy: { '/v1': api, '/readyz': api, '/docs': api, '/openapi.json': api } },
});

function argumentAfter(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv.splice(at, 2)[1];
}
