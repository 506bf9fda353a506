// `node scripts/release/lock.mjs --tarballs DIR --out DIR NAME...`: writes the manifest and the lockfile of an app that consists of
// these packages: those of the repository from their tarballs, and all others in the versions of the repository's lockfile.
// `npm ci` installs exactly that; no package comes in a version that nobody has tested.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root, say } from '../process.mjs';

const { values, positionals: names } = parseArgs({
  options: { tarballs: { type: 'string' }, out: { type: 'string' } },
  allowPositionals: true,
});
if (values.tarballs === undefined || values.out === undefined || names.length === 0) {
  say('usage: node scripts/release/lock.mjs --tarballs DIR --out DIR NAME...');
  process.exit(2);
}
const known = knownEntries(tarballsIn(resolve(values.tarballs)));
const packages = closureOf(names);
const specOf = (name) => {
  const { resolved = '', version } = known.get(`node_modules/${name}`);
  return resolved.startsWith('file:') ? resolved : version;
};
const { overrides, allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const app = { name: 'app', version: '1.0.0' };
const manifest = {
  ...app,
  private: true,
  type: 'module',
  dependencies: Object.fromEntries(names.map((name) => [name, specOf(name)])),
  // Without overrides, npm would refuse a lockfile that was made with them.
  overrides,
  allowScripts,
};
mkdirSync(values.out, { recursive: true });
writeFileSync(join(values.out, 'package.json'), JSON.stringify(manifest, null, 2));
const lock = {
  ...app,
  lockfileVersion: 3,
  requires: true,
  packages: { '': manifest, ...Object.fromEntries(packages) },
};
writeFileSync(join(values.out, 'package-lock.json'), JSON.stringify(lock, null, 2));

/** The paths of the tarballs in a folder, by the names of their packages. */
function tarballsIn(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const named = files.map((file) => {
    const name = file.replace(/-\d+\.\d+\.\d+.*\.tgz$/, '').replace(/^millrace-/, '@millrace/');
    return [name, join(folder, file)];
  });
  return new Map(named);
}

/** Entries of a lockfile for packages and all that they need. */
function closureOf(wanted) {
  const found = new Map();
  const add = (name, from) => {
    const path = placeOf(name, from);
    const entry = known.get(path);
    if (entry === undefined) throw new Error(`The lockfile has no ${name} for ${from || 'the app'}.`);
    if (found.has(path)) return;
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
    // Packages for other platforms are not in the lockfile, and npm would ask for them.
    const optional = Object.keys(optionalDependencies).filter((each) => known.has(placeOf(each, path)));
    const peers = Object.keys(peerDependencies).filter((each) => peerDependenciesMeta[each]?.optional !== true);
    found.set(path, { ...entry, optionalDependencies: pick(optionalDependencies, optional) });
    for (const each of [...Object.keys(dependencies), ...optional, ...peers]) add(each, path);
  };
  for (const name of wanted) add(name, '');
  return found;
}

function pick(object, names) {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

/** Returns the place where npm finds a package that another one imports: the nearest `node_modules` that has it. */
function placeOf(name, from) {
  for (let folder = from; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder}/node_modules/${name}`;
    if (known.has(place)) return place;
    if (!folder.includes('/node_modules/')) break;
  }
  return `node_modules/${name}`;
}

/** The entries of the repository's lockfile, with tarballs in place of workspaces. */
function knownEntries(tarballs) {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entries = new Map();
  const links = Object.entries(locked).flatMap(([path, { link, resolved }]) => (link ? [[resolved, path]] : []));
  for (const [path, { dev: _dev, devOptional: _either, peer: _peer, link, ...entry }] of Object.entries(locked)) {
    if (link || path === '') continue;
    const [workspace, place] = links.find(([folder]) => path === folder || path.startsWith(`${folder}/`)) ?? [];
    const at = workspace === undefined ? path : `${place}${path.slice(workspace.length)}`;
    const tarball = tarballs.get(at.slice('node_modules/'.length));
    if (path !== workspace) entries.set(at, entry);
    else if (tarball !== undefined) entries.set(at, ofTarball(entry, tarball));
  }
  return entries;
}

/** The entry of a workspace, as its tarball has it: what it depends on is in the manifest there. */
function ofTarball({ devDependencies: _dev, ...entry }, tarball) {
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const { stdout } = spawnSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' });
  const { dependencies } = JSON.parse(stdout);
  return { ...entry, dependencies, resolved: `file:${tarball}`, integrity };
}
