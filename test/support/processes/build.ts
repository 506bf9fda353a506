import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'rolldown/utils';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'millrace');

/** The last commit that was made before builds checked formats. */
export const uncheckedCommit = '2ae7ddaa630e3795d43417d6ad05ccb5802026f8';

/** The last commit that stored runs in format 2. */
export const format2Commit = 'c4164e7a93b93a135402bc89426fc12b5ff09e81';

/**
 * Builds the packages as they were at a commit, with the dependencies of today, and gives the program of its command line.
 * A build is kept: only the first one takes a few seconds.
 */
export async function buildOfCommit(commit: string): Promise<string> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(
      `The commit ${commit} is not in the history of this clone, so an earlier build cannot be made. A shallow clone needs: git fetch --unshallow`,
    );
  });
  return built(`commit-${commit}`, async (place) => {
    const archive = join(place, 'sources.tar');
    await run('git', ['archive', '--output', archive, commit, 'packages'], { cwd: root });
    await run('tar', ['-xf', archive, '-C', place]);
    await rm(archive);
    // No process of these tests serves the dashboard.
    const names = (await readdir(join(place, 'packages'))).filter((name) => name !== 'dashboard');
    for (const name of names) await compilePackage(join(place, 'packages', name));
  });
}

/** Copies the present build, but for storing in a later format. Gives the program of its command line. */
export async function buildWithFormat(format: number): Promise<string> {
  const packages = join(root, 'packages');
  const digest = createHash('sha256');
  // This file tells all that a build was made of; the dashboard has none, and does not differ.
  for (const name of await readdir(packages)) {
    const info = join(packages, name, 'dist/.tsbuildinfo');
    if (await isThere(info)) digest.update(await readFile(info));
  }
  const name = `format-${format}-${digest.digest('hex').slice(0, 16)}`;
  return built(name, async (place) => {
    for (const other of await readdir(cache))
      if (other.startsWith('format-') && !other.startsWith(name)) await rm(join(cache, other), { recursive: true });
    const isWanted = (from: string) => !/\/(?:node_modules|dist\/bundle)$/.test(from);
    await cp(packages, join(place, 'packages'), { recursive: true, filter: isWanted });
    const constant = join(place, 'packages/runtime/dist/store/format.js');
    const before = await readFile(constant, 'utf8');
    const after = before.replace(/storedFormat = \d+;/, `storedFormat = ${format};`);
    if (after === before) throw new Error('The constant storedFormat was not found in format.js.');
    await writeFile(constant, after);
  });
}

async function built(name: string, bring: (place: string) => Promise<void>): Promise<string> {
  const place = join(cache, name);
  const main = join(place, 'packages', 'cli', 'dist', 'main.js');
  if (await isThere(main)) return main;
  const draft = join(cache, `${name}-${randomUUID()}`);
  await mkdir(join(draft, 'node_modules', '@millrace'), { recursive: true });
  await bring(draft);
  for (const one of await readdir(join(draft, 'packages'))) await linkPackage(draft, one);
  // Another process may have been faster.
  await rename(draft, place).catch(() => rm(draft, { recursive: true }));
  return main;
}

async function linkPackage(place: string, name: string): Promise<void> {
  await symlink(join('..', '..', 'packages', name), join(place, 'node_modules', '@millrace', name));
  const nested = join(root, 'packages', name, 'node_modules');
  if (await isThere(nested)) await symlink(nested, join(place, 'packages', name, 'node_modules'));
}

/** Types are not checked: they were when the sources were written. */
async function compilePackage(own: string): Promise<void> {
  for (const file of await sourcesIn(join(own, 'src'))) {
    const source = await readFile(join(own, 'src', file), 'utf8');
    const { code, errors } = await transform(file, source, {
      typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' },
    });
    if (errors.length > 0) throw new Error(`${file} cannot be compiled: ${errors.map(String).join(' ')}`);
    const target = join(own, 'dist', file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
}

const sourcesIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true }))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .sort();

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
