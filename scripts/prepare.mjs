import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNode, runQuietly, say, timed } from './process.mjs';

/** Throws when this Node is older than the one package.json asks for. */
export function checkNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [major = 0, minor = 0] = wanted.split('.').map(Number);
  const [haveMajor = 0, haveMinor = 0] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  throw new Error(`needs Node ${wanted} or newer, this is ${process.versions.node}. See https://nodejs.org`);
}

/** Builds what changed since the last build. Who tries the program does not wait for its types to be checked, which the tests do. */
export async function build() {
  const first = modifiedAt('packages/cli/dist/bundle/main.js') === 0;
  await timed(first ? 'building (15 to 45 s)' : 'building what changed', async () => {
    const code = await buildPackages('--noCheck');
    if (code !== 0) throw new Error(`the build failed with exit code ${code}`);
  });
}

/** Flags of a build. One type checker: more of them check parts of the types twice. */
export const buildFlags = ['-b', '--checkers', '1'];

/** Builds the command line and the packages below it, in one process: half the time of one process per package. */
export async function buildPackages(...flags) {
  const code = await compile(...flags, 'packages/cli');
  return code === 0 ? bundle() : code;
}

/** Builds projects, and what they refer to, with these flags of the compiler before them; returns the exit code. */
export const compile = (...args) => runNode('scripts/tsc.mjs', [...buildFlags, ...args]);

/** Bundles the command when a package was built after the last bundle; returns the exit code. */
export function bundle() {
  const builds = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/dist/.tsbuildinfo`);
  const inputs = ['package-lock.json', 'packages/cli/rolldown.config.mjs', 'packages/cli/build', ...builds];
  if (modifiedAt('packages/cli/dist/bundle/main.js') > Math.max(...inputs.map(modifiedAt))) return 0;
  return runQuietly('node_modules/rolldown/bin/cli.mjs', ['-c', 'packages/cli/rolldown.config.mjs']);
}

/** Builds the dashboard when a file of it is newer than the last build. Everything else works without it. */
export async function buildDashboard() {
  const core = ['model', 'projection', 'resources'].map((folder) => `packages/core/src/${folder}`);
  const sources = ['packages/dashboard', 'packages/client/src', ...core].map(newestIn);
  // The API reference is built last, into a folder of the dashboard's.
  if (modifiedAt('packages/dashboard/dist/reference/index.html') > Math.max(...sources)) return;
  await timed('building the dashboard and the API reference (10 to 30 s)', async () => {
    for (const config of ['vite.config.ts', 'vite.reference.config.ts']) {
      const args = ['build', '--config', `packages/dashboard/${config}`, '--logLevel', 'warn'];
      // The environment of tests would make it a build for development, which is larger and slower.
      if ((await runNode('node_modules/vite/bin/vite.js', args, { NODE_ENV: 'production' })) === 0) continue;
      say('the dashboard could not be built; /ui/ and /docs will say so, and everything else works');
      return;
    }
  });
}

/** Newest time at which a file under a folder was changed, builds and packages not counted. */
function newestIn(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const times = entries
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules')
    .map((entry) => (entry.isDirectory() ? newestIn : modifiedAt)(join(folder, entry.name)));
  return Math.max(0, ...times);
}

/** Points git at the hooks of the checkout, unless it has others already; an archive without git is left as it is. Returns the exit code. */
export function useHooks() {
  if (!existsSync(join(root, '.git'))) return 0;
  const git = (...args) => spawnSync('git', ['config', ...args], { cwd: root, encoding: 'utf8' });
  const configured = git('--get', 'core.hooksPath');
  if (configured.error === undefined && configured.stdout === '') {
    say('linting before each commit (git config core.hooksPath .githooks)');
    git('core.hooksPath', '.githooks');
  }
  return 0;
}

/** Milliseconds since 1970, 0 when there is no such file. */
const modifiedAt = (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
