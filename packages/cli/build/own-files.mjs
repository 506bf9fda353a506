import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const own = fileURLToPath(new URL('..', import.meta.url));
const packages = dirname(own.slice(0, -1)) + sep;
const ownUrl = /new URL\((['"])(\.[^'"]+)\1,\s*import\.meta\.url\)/g;

/**
 * Plugin of Rolldown: keeps the addresses of files that modules of Millrace read at run time, written as
 * `new URL('…', import.meta.url)`. Programs of threads become chunks, scripts and tables of other packages are copied
 * beside the chunks, and what this package ships anyway, such as its manifest and templates, is addressed where it is.
 */
export function ownFiles(directory) {
  return {
    name: 'own-files',
    transform(code, id) {
      if (!id.startsWith(packages) || id.includes('/node_modules/') || !code.includes('import.meta.url')) return null;
      const others = code.replace(ownUrl, '').replaceAll('createRequire(import.meta.url)', '');
      if (others.includes('import.meta.url'))
        throw new Error(`${id}: write new URL('…', import.meta.url) for the bundle.`);
      const moved = (_match, _quote, path) => {
        const file = fileURLToPath(new URL(path, pathToFileURL(id)));
        if (file.endsWith('.js') && !file.startsWith(own)) {
          return `new URL(import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'chunk', id: file })})`;
        }
        if (file.startsWith(own) || !isFile(file)) {
          const found = relative(directory, file).replaceAll(sep, '/');
          return `new URL('${path.endsWith('/') ? `${found}/` : found}', import.meta.url)`;
        }
        const name = `${relative(packages, file).split(sep)[0]}-${basename(file)}`;
        const asset = this.emitFile({ type: 'asset', name, source: readFileSync(file) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${asset})`;
      };
      return { code: code.replace(ownUrl, moved), map: null };
    },
  };
}

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
