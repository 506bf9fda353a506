import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { root } from '../process.mjs';

const sourceMap = /\n\/\/# sourceMappingURL=\S+\s*$/;

/**
 * Writes what is published of a package into a folder: the built code, the types of its entries, the license and the
 * README. Tests, sources and source maps stay behind: the built code is the sources without their types, comments
 * included. The command has a bundle instead, and the dashboard has pages; both are in the `files` of their manifests.
 */
export function stage({ path, manifest }, folder) {
  mkdirSync(folder, { recursive: true });
  const isLibrary = manifest.exports['.'] !== undefined && manifest.bin === undefined;
  for (const file of isLibrary ? builtFiles(path, manifest) : []) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), readFileSync(join(path, file), 'utf8').replace(sourceMap, '\n'));
  }
  for (const file of isLibrary ? assets(path) : []) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(path, file), join(folder, file));
  }
  writeFileSync(join(folder, 'README.md'), readmeOf(path, manifest));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const part of manifest.files ?? []) {
    const own = join(path, part);
    const filter = (name) => !/\.(?:map|tsbuildinfo)$/.test(name) && !hasCompressedCopy(name);
    cpSync(existsSync(own) ? own : join(root, part), join(folder, part), { recursive: true, filter });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
}

const repository = 'https://github.com/millrace/millrace/blob/main/';
const rawFiles = 'https://raw.githubusercontent.com/millrace/millrace/main/';

/** Returns the README of a package; that of the command is the one of the repository, with links that lead there. */
export function readmeOf(path, { bin }) {
  if (bin === undefined) return readFileSync(join(path, 'README.md'), 'utf8');
  return readFileSync(join(root, 'README.md'), 'utf8').replace(
    /(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)/g,
    (_link, isImage, text, target) => `${isImage}[${text}](${isImage === '' ? repository : rawFiles}${target})`,
  );
}

/** Tells of files of pages that servers have in compressed copies: the packages hold those alone, which halves their size. */
const hasCompressedCopy = (name) => /[/\\]assets[/\\]/.test(name) && existsSync(`${name}.gz`);

/**
 * The files of `dist` whose sources are there; a build leaves those of removed sources behind. Types that no entry leads
 * to cannot be imported.
 */
function builtFiles(path, manifest) {
  const sources = readdirSync(join(path, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join('dist', name.slice(0, -'.ts'.length)));
  const files = sources.flatMap((name) => [`${name}.js`, `${name}.d.ts`]);
  const missing = files.filter((file) => !existsSync(join(path, file)));
  if (missing.length > 0) throw new Error(`${path} is not built: ${missing[0]} is missing`);
  const types = typesOf(path, manifest);
  return files.filter((file) => !file.endsWith('.d.ts') || types.has(resolve(path, file)));
}

/** The declarations of the entries of a package, and all that they import within it. */
function typesOf(path, { exports }) {
  const found = new Set();
  const add = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) add(resolve(dirname(file), fileName.replace(/\.[jt]s$/, '.d.ts')));
    }
  };
  for (const { types } of Object.values(exports)) if (types !== undefined) add(resolve(path, types));
  return found;
}

/** The files beside the sources that are read at run time: scripts for Redis, programs, tables. */
const assets = (path) =>
  readdirSync(join(path, 'src'), { recursive: true })
    .filter((name) => /\.(?:lua|py|yaml)$/.test(name))
    .map((name) => join('src', name));

/**
 * The manifest without what only the repository needs. The published command depends on the dashboard: in the repository, each
 * command would install what the dashboard is built of.
 */
function publishedManifest({
  private: _private,
  scripts: _scripts,
  devDependencies: _dev,
  files: _files,
  publishedDependencies = [],
  ...manifest
}) {
  const exports =
    manifest.bin === undefined ? withoutSources(manifest.exports) : { './package.json': './package.json' };
  const added = Object.fromEntries(publishedDependencies.map((name) => [name, manifest.version]));
  return { ...manifest, dependencies: { ...added, ...manifest.dependencies }, exports };
}

const withoutSources = (exports) =>
  Object.fromEntries(
    Object.entries(exports).map(([name, target]) => {
      if (typeof target === 'string') return [name, target];
      const { source: _source, ...conditions } = target;
      return [name, conditions];
    }),
  );
