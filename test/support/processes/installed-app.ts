import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const Names = z.record(z.string(), z.string()).default({});
const Entry = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  link: z.boolean().optional(),
  resolved: z.string().optional(),
  dependencies: Names,
  optionalDependencies: Names,
});
type Entry = z.infer<typeof Entry>;
const Lock = z.object({ lockfileVersion: z.number(), packages: z.record(z.string(), Entry) });

/** Builds the tarballs of all packages into a folder; returns their paths by the names of the packages. */
export function packAll(out: string): ReadonlyMap<string, string> {
  const packed = spawnSync(process.execPath, ['scripts/release/pack.mjs', '--out', out], {
    cwd: root,
    encoding: 'utf8',
  });
  if (packed.status !== 0) throw new Error(`release:pack failed:\n${packed.stderr}`);
  const named = readdirSync(out).map((file) => {
    const name = file.replace(/-\d+\.\d+\.\d+.*\.tgz$/, '').replace(/^millrace-/, '@millrace/');
    return [name, join(out, file)] as const;
  });
  return new Map(named);
}

/**
 * Installs packages from their tarballs into an empty folder, as npm does, with everything else in the versions of the
 * repository's lockfile: those are in npm's cache, so the registry is not asked. Returns what npm said, and the paths that it installed.
 */
export function installTarballs(folder: string, tarballs: ReadonlyMap<string, string>, names: readonly string[]) {
  const dependencies = Object.fromEntries(names.map((name) => [name, `file:${tarballs.get(name)}`]));
  const installed = closureOf(names, tarballs);
  const manifest = { name: 'app', version: '1.0.0', private: true, type: 'module', dependencies };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const packages = { '': manifest, ...Object.fromEntries(installed) };
  const lock = { name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock, null, 2));
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env: ownEnvironment() });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return { said: `${stdout}${stderr}`, paths: [...installed.keys()] };
}

/** The paths at which npm installs these packages and all that they need. */
export const pathsOf = (names: readonly string[], tarballs: ReadonlyMap<string, string>): readonly string[] => [
  ...closureOf(names, tarballs).keys(),
];

/** The paths of the packages that npm has installed into a folder, as it recorded them there. */
export function installedPaths(folder: string): readonly string[] {
  const record = Lock.parse(JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')));
  return Object.keys(record.packages);
}

/** The environment without what npm has set for the repository, in which the test may run. */
export const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|INIT_CWD$|REDIS_URL$|MILLRACE_|NODE_ENV$|OTEL_)/.test(name),
    ),
  );

/** Entries of a lockfile for these packages and all that they need. */
function closureOf(names: readonly string[], tarballs: ReadonlyMap<string, string>): ReadonlyMap<string, Entry> {
  const known = knownEntries(tarballs);
  const found = new Map<string, Entry>();
  const add = (name: string, from: string): void => {
    const path = placeOf(name, from, known);
    const entry = known.get(path);
    if (entry === undefined) throw new Error(`The lockfile has no ${name} for ${from}.`);
    if (found.has(path)) return;
    // Packages for other platforms are not in the lockfile, and npm would ask for them.
    const optional = Object.entries(entry.optionalDependencies).filter(([each]) =>
      known.has(placeOf(each, path, known)),
    );
    found.set(path, { ...entry, optionalDependencies: Object.fromEntries(optional) });
    for (const each of [...Object.keys(entry.dependencies), ...optional.map(([each]) => each)]) add(each, path);
  };
  for (const name of names) add(name, '');
  return found;
}

/** Returns the place where npm finds a package that another one imports: the nearest `node_modules` that has it. */
function placeOf(name: string, from: string, known: ReadonlyMap<string, Entry>): string {
  for (let folder = from; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder}/node_modules/${name}`;
    if (known.has(place)) return place;
    if (!folder.includes('/node_modules/')) break;
  }
  return `node_modules/${name}`;
}

/** The entries of the repository's lockfile, with tarballs in place of workspaces. */
function knownEntries(tarballs: ReadonlyMap<string, string>): ReadonlyMap<string, Entry> {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const known = new Map<string, Entry>();
  const names = new Map(
    Object.entries(packages).flatMap(([path, { link, resolved }]) =>
      link === true && resolved !== undefined ? [[resolved, path] as const] : [],
    ),
  );
  for (const [path, { dev: _dev, devOptional: _either, peer: _peer, link, ...entry }] of Object.entries(packages)) {
    if (link === true || path === '') continue;
    const workspace = [...names.keys()].find((folder) => path === folder || path.startsWith(`${folder}/`));
    const place = workspace === undefined ? path : `${names.get(workspace)}${path.slice(workspace.length)}`;
    const tarball = tarballs.get(place.slice('node_modules/'.length));
    if (path !== workspace) known.set(place, entry);
    else if (tarball !== undefined) known.set(place, ofTarball(entry, tarball));
  }
  return known;
}

/** The entry of a workspace, as its tarball has it: what it depends on is in the manifest there. */
function ofTarball({ devDependencies: _dev, ...entry }: Entry, tarball: string): Entry {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const { stdout } = spawnSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' });
  const { dependencies } = Entry.parse(JSON.parse(stdout));
  return { ...entry, dependencies, resolved: `file:${tarball}`, integrity };
}
