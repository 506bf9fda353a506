import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';

/** Builds the API reference, which the server shows at `/docs`, into a folder beside the files of the dashboard. */
export default defineConfig({
  base: '/docs/',
  root: fileURLToPath(new URL('src/reference', import.meta.url)),
  publicDir: false,
  plugins: [notices(), compressed()],
  build: {
    target: 'es2023',
    outDir: fileURLToPath(new URL('dist/reference', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});

/** Adds the notices of Swagger UI and of what its bundle contains. */
function notices(): Plugin {
  const { resolve } = createRequire(import.meta.url);
  return {
    name: 'notices',
    generateBundle() {
      for (const name of ['NOTICE', 'swagger-ui-es-bundle.js.LICENSE.txt']) {
        const source = readFileSync(resolve(`swagger-ui-dist/${name}`));
        this.emitFile({ type: 'asset', fileName: name, source });
      }
    },
  };
}
