import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const Lock = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

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
 * Installs packages, of the repository and others, into an empty folder as the container image does: with everything else in the versions
 * of the repository's lockfile. Those are in npm's cache, so the registry is not asked. Returns what npm said, and the paths that it
 * installed.
 */
export function installTarballs(folder: string, tarballs: ReadonlyMap<string, string>, names: readonly string[]) {
  const paths = writeLock(folder, tarballs, names);
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env: ownEnvironment() });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return { said: `${stdout}${stderr}`, paths };
}

/** The paths at which npm installs these packages and all that they need. */
export function pathsOf(names: readonly string[], tarballs: ReadonlyMap<string, string>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  try {
    return writeLock(folder, tarballs, names);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the manifest and the lockfile of an app into a folder; returns the paths in the lockfile. */
function writeLock(folder: string, tarballs: ReadonlyMap<string, string>, names: readonly string[]): readonly string[] {
  const [tarball = ''] = tarballs.values();
  const args = ['scripts/release/lock.mjs', '--tarballs', dirname(tarball), '--out', folder, ...names];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`lock.mjs failed:\n${stderr}`);
  return Object.keys(versionsIn(join(folder, 'package-lock.json'))).filter((path) => path !== '');
}

/** The versions of packages by their paths, as a lockfile has them. */
export function versionsIn(lockfile: string): Readonly<Record<string, string | undefined>> {
  const { packages } = Lock.parse(JSON.parse(readFileSync(lockfile, 'utf8')));
  return Object.fromEntries(Object.entries(packages).map(([path, { version }]) => [path, version]));
}

/** The paths of the packages that npm has installed into a folder, as it recorded them there. */
export const installedPaths = (folder: string): readonly string[] =>
  Object.keys(versionsIn(join(folder, 'node_modules/.package-lock.json')));

/** The environment without what npm has set for the repository, in which the test may run. */
export const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|INIT_CWD$|REDIS_URL$|MILLRACE_|NODE_ENV$|OTEL_)/.test(name),
    ),
  );
