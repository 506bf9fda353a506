import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vitest/config';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = join(root, 'packages/catalog/src');
const out = join(root, 'node_modules/.cache/children');

/**
 * Plugin of Vite: code that runs from the sources starts its child processes from the sources, too. Node starts a process from a file of its
 * own and reads no TypeScript, so their modules are built into a cache, in less than a second for all; `new URL('./NAME-child.js',
 * import.meta.url)`, which the built packages have beside them, leads there.
 */
export async function childrenFromSources(): Promise<Plugin> {
  await build();
  return {
    name: 'children-from-sources',
    enforce: 'pre',
    transform(code, id) {
      if (!id.startsWith(sources) || !code.includes('-child.js')) return null;
      const found = (_match: string, file: string) => `new URL(${JSON.stringify(pathToFileURL(join(out, file)).href)})`;
      return { code: code.replace(/new URL\('\.\/([\w-]+-child\.js)', import\.meta\.url\)/g, found), map: null };
    },
  };
}

async function build(): Promise<void> {
  const modules = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('-child.ts'),
  );
  const bundle = await rolldown({
    input: Object.fromEntries(modules.filter(serves).map((file) => [basename(file, '.ts'), join(sources, file)])),
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
    external: (id) => !/^(?:[./]|@millrace\/)/.test(id),
    plugins: [{ name: 'own-url', transform: withOwnUrl }],
  });
  const { output } = await bundle.generate({ format: 'esm', chunkFileNames: '[name]-[hash].js' });
  await bundle.close();
  for (const file of output) if (file.type === 'chunk') write(join(out, file.fileName), file.code);
}

/** Modules that start processes have such names, too. */
const serves = (file: string): boolean => readFileSync(join(sources, file), 'utf8').includes('serveTasks<');

/** Modules read files beside their own. */
const withOwnUrl = (code: string, id: string) =>
  code.includes('import.meta.url')
    ? { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
    : null;

/** Replaces a file at once, and only if it differs: other processes may be reading it. */
function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
