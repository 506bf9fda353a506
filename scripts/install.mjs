import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, runNode, timed } from './process.mjs';

/*
 * One lockfile, and sets of what it lists, so that a command installs what it needs. A set is some workspaces. The manifest of each
 * workspace lists what it imports, and that of the root what the tests and the checks import. npm adds a set to those that are
 * installed, and removes none of them.
 */

const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);

/** The workspaces of each set, and the measured size of what it adds to the sets before it. The workspace '' is the root. */
export const sets = {
  /** What the command is built with, and runs with. */
  command: { workspaces: ['scripts', ...packages.filter((path) => path !== 'packages/dashboard')], megabytes: 310 },
  dashboard: { workspaces: ['packages/dashboard'], megabytes: 150 },
  docs: { workspaces: ['docs'], megabytes: 100 },
  tests: { workspaces: [''], megabytes: 280 },
};

/** All sets: checks read, and tests import, from everywhere. */
export const everything = Object.keys(sets);

/** How many packages npm installs in a second with nothing in its cache, as measured on two cores: near the registry, and far from it. */
const packagesPerSecond = { near: 20, far: 6 };

/** Installs what sets need and what is missing, or is installed in another version than that of the lockfile. */
export async function install(...names) {
  const { packages: locked } = lockfile('package-lock.json');
  const { packages: installed } = lockfile('node_modules/.package-lock.json');
  const workspaces = names.flatMap((name) => sets[name].workspaces);
  const missing = packagesOf(workspaces, locked).filter((path) => installed[path]?.version !== locked[path].version);
  const links = new Set(Object.values(installed).map(({ link, resolved }) => link && resolved));
  const isLinked = (workspace) => workspace === '' || links.has(workspace);
  // npm leaves optional packages out where they do not work.
  if (missing.every((path) => locked[path].optional) && workspaces.every(isLinked)) return;

  const megabytes = Math.round(megabytesOf(new Set(missing), locked) / 10) * 10;
  const seconds = (speed) => Math.ceil(missing.length / speed / 5) * 5;
  const time = `${seconds(packagesPerSecond.near)} to ${seconds(packagesPerSecond.far)} s`;
  const packages = `installing ${missing.length} packages (${megabytes} MB, ${time})`;
  await timed(missing.length > 0 ? packages : 'linking the packages of this repository', async () => {
    const code = await npmInstall(workspaces);
    if (code !== 0) throw new Error(`npm install failed with exit code ${code}`);
  });
}

function npmInstall(workspaces) {
  // --no-save: a registry that knows more platforms than the lockfile must not change a fresh checkout.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  // Without the name of a workspace, npm installs the root and all workspaces.
  if (!workspaces.includes('')) args.push(...workspaces.map((path) => `--workspace=${path}`));
  const npm = process.env.npm_execpath;
  return npm?.endsWith('npm-cli.js') ? runNode(npm, args) : run('npm', args);
}

/** Estimates how many megabytes packages are: each is as large as the others that the same set adds to the sets before it. */
function megabytesOf(paths, locked) {
  const known = new Set();
  let megabytes = 0;
  for (const set of Object.values(sets)) {
    const added = packagesOf(set.workspaces, locked).filter((path) => !known.has(path));
    for (const path of added) known.add(path);
    megabytes += (set.megabytes * added.filter((path) => paths.has(path)).length) / added.length;
  }
  return megabytes;
}

/** Returns the paths, in the order of names, at which npm installs what workspaces need on this machine. */
export function packagesOf(workspaces, locked) {
  const found = new Set();
  const add = (path) => {
    const entry = locked[path];
    if (entry === undefined || found.has(path) || !fits(entry)) return;
    found.add(path);
    if (entry.link) add(entry.resolved);
    // Only workspaces have `devDependencies` in a lockfile.
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = entry;
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
    for (const name of names) add(placeOf(name, path, locked));
  };
  for (const path of workspaces) add(path);
  return [...found].filter((path) => path.includes('node_modules/') && !locked[path].link).sort();
}

/** Returns where Node.js finds a package that another one imports: in the nearest `node_modules` that has it. */
function placeOf(name, from, locked) {
  for (let folder = from; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder}/node_modules/${name}`;
    if (locked[path] !== undefined) return path;
  }
  return `node_modules/${name}`;
}

/** Tells whether a package is for this machine. */
const fits = ({ os, cpu, libc: forLibc }) =>
  (os?.includes(process.platform) ?? true) &&
  (cpu?.includes(process.arch) ?? true) &&
  (forLibc?.includes(libc) ?? true);

const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc';

function lockfile(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return { packages: {} };
    throw error;
  }
}
