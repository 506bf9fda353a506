import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { installCommand } from '../../packages/runtime/src/adapters/redis-server/ways-to-redis.ts';
import { directoryBeforeEach } from '../support/fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The sets that the commands of the repository install. */
const { sets, packagesOf, everything } = z
  .object({
    sets: z.record(z.string(), z.object({ workspaces: z.array(z.string()), megabytes: z.number() })),
    packagesOf: z.function({ input: [z.array(z.string()), z.unknown()], output: z.array(z.string()) }),
    everything: z.array(z.string()),
  })
  .parse(await import(join(root, 'scripts/install.mjs')));

const text = (path: string) => readFileSync(join(root, path), 'utf8');

const Entry = z.looseObject({
  link: z.boolean().optional(),
  optional: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const { packages: locked } = z
  .object({ packages: z.record(z.string(), Entry) })
  .parse(JSON.parse(text('package-lock.json')));

const pathsOf = (names: readonly string[]) =>
  packagesOf(
    names.flatMap((name) => sets[name]?.workspaces ?? []),
    locked,
  );

/** Megabytes that packages take on disk; each is measured once, optional ones if they are there. */
function sizeOf(paths: readonly string[]): number {
  for (const path of paths)
    if (!measured.has(path) && existsSync(join(root, path))) measured.set(path, bytesOf(join(root, path)));
  return Math.round(paths.reduce((sum, path) => sum + (measured.get(path) ?? 0), 0) / 1024 / 1024);
}

const measured = new Map<string, number>();

function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesOf(path) : Math.ceil(lstatSync(path).size / 4096) * 4096);
  }, 4096);
}

describe('what a command installs', () => {
  it.each([
    ['npm run demo', ['command'], { packages: 300, megabytes: 330 }],
    ['npm run setup', ['command', 'dashboard'], { packages: 470, megabytes: 470 }],
  ])('is small for %s', (_name, names, most) => {
    const paths = pathsOf(names);

    expect(paths.length).toBeGreaterThan(100);
    expect(paths.length).toBeLessThanOrEqual(most.packages);
    expect(sizeOf(paths)).toBeLessThanOrEqual(most.megabytes);
  });

  it('is the whole lockfile for the tests', () => {
    const all = Object.entries(locked).filter(
      ([path, { link, optional }]) => path.includes('node_modules/') && !link && !optional,
    );

    expect(pathsOf(everything)).toEqual(expect.arrayContaining(all.map(([path]) => path)));
  });

  it('has the size that is announced, for each set that is added to those before it', () => {
    const names = Object.keys(sets);
    const sizeOfFirst = (count: number) => sizeOf(pathsOf(names.slice(0, count)));
    const actual = names.map((_name, at) => sizeOfFirst(at + 1) - sizeOfFirst(at));
    const announced = Object.values(sets).map(({ megabytes }) => megabytes);

    expect(announced.filter((megabytes, at) => Math.abs(megabytes / (actual[at] ?? 0) - 1) > 0.1)).toEqual([]);
  });
});

it('is possible with `npm ci`, which refuses a lockfile without an optional package of another platform', () => {
  const names = new Set(Object.keys(locked).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)));
  const optional = Object.values(locked).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies));

  expect(optional.length).toBeGreaterThan(50);
  expect(optional.filter((name) => !names.has(name))).toEqual([]);
});

it('is described with its packages and megabytes', () => {
  const rows = [
    ...text('CONTRIBUTING.md').matchAll(/some (\d+) \| (\d+) MB/g),
    ...text('README.md').matchAll(/some (\d+) packages, (\d+) MB/g),
  ];
  const installed = [['command'], ['command', 'dashboard'], ['docs'], everything, ['command']].map(pathsOf);
  const isRoughly = (stated: string | undefined, actual: number) => Math.abs(Number(stated) - actual) <= actual / 20;

  expect(rows).toHaveLength(installed.length);
  expect(rows.filter(([, packages], at) => !isRoughly(packages, installed[at]?.length ?? 0))).toEqual([]);
  expect(rows.filter(([, , megabytes], at) => !isRoughly(megabytes, sizeOf(installed[at] ?? [])))).toEqual([]);
});

it.each(['bench', 'load'])('includes what test/%s imports with the command', (name) => {
  const folder = join(root, 'test', name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const imported = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:from |import\()'(?!node:|\.|@millrace)((?:@[^/']+\/)?[^/']+)/g,
      ),
    ].map(([, each]) => `node_modules/${each}`),
  );

  expect(imported.length).toBeGreaterThan(0);
  expect(pathsOf(['command'])).toEqual(expect.arrayContaining(imported));
});

describe('the installation of a set', () => {
  const clone = directoryBeforeEach();
  beforeEach(() => {
    mkdirSync(join(clone, 'node_modules'));
    for (const name of readdirSync(join(root, 'packages')))
      mkdirSync(join(clone, 'packages', name), { recursive: true });
    for (const path of ['package-lock.json', 'scripts'])
      cpSync(join(root, path), join(clone, path), { recursive: true });
    writeFileSync(join(clone, 'npm-cli.js'), 'console.log(process.argv.slice(2).join(" "))');
  });

  interface Installation {
    readonly installed: readonly string[];
    readonly names: readonly string[];
    /** Workspace of an installed set that has no link. */
    readonly unlinked?: string;
  }

  const linkTo = (workspace: string) => [`node_modules/linked/${workspace}`, { resolved: workspace, link: true }];

  /** Installs sets into the clone, in which some are installed already; returns the arguments of npm, and what is said. */
  function install({ installed, names, unlinked }: Installation) {
    const workspaces = installed.flatMap((name) => sets[name]?.workspaces ?? []);
    const links = workspaces.filter((workspace) => workspace !== unlinked).map(linkTo);
    const packages = Object.fromEntries([...pathsOf(installed).map((path) => [path, locked[path]]), ...links]);
    writeFileSync(join(clone, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
    const program = `import { install } from './scripts/install.mjs'; await install(...${JSON.stringify(names)});`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: clone,
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(clone, 'npm-cli.js') },
    });
    return { npm: stdout.trim(), said: stderr.split('\n')[0] };
  }

  it('names its packages, their size and the time, and asks npm for its workspaces alone', () => {
    const { npm, said } = install({ installed: [], names: ['command'] });

    expect(said).toMatch(/^millrace: installing 2\d\d packages \(310 MB, \d+ to \d+ s\)$/);
    expect(npm).toMatch(/^install --no-save .*--workspace=scripts .*--workspace=packages\/cli/);
    expect(npm).not.toContain('dashboard');
  });

  it('announces what is missing beside another set', () => {
    const missing = pathsOf(['command', 'dashboard']).length - pathsOf(['command']).length;
    const { said } = install({ installed: ['command'], names: ['command', 'dashboard'] });

    expect(said).toMatch(new RegExp(`installing ${missing} packages \\(150 MB, `));
  });

  it('asks npm for everything when the root is in it', () => {
    expect(install({ installed: ['command'], names: everything }).npm).not.toContain('--workspace');
  });

  it('installs a workspace that is not linked, although no package is missing', () => {
    expect(install({ installed: ['command'], names: ['command'], unlinked: 'packages/worker' }).npm).toMatch(
      /^install/,
    );
  });

  it('does nothing if its packages are there, with or without others', () => {
    expect(install({ installed: ['command'], names: ['command'] })).toEqual({ npm: '', said: '' });
    expect(install({ installed: everything, names: ['command'] })).toEqual({ npm: '', said: '' });
  });
});

describe('a command of the repository without a Redis', () => {
  const clone = directoryBeforeEach();
  beforeEach(() => {
    mkdirSync(join(clone, 'packages'));
    for (const path of ['scripts', 'package.json']) cpSync(join(root, path), join(clone, path), { recursive: true });
  });

  /** Runs it in a clone in which nothing is installed, on a machine with no program but Node.js. */
  function without(command: string, ...args: readonly string[]) {
    const { REDIS_URL: _redis, ...inherited } = process.env;
    const { status, stderr } = spawnSync(process.execPath, ['scripts/bootstrap.mjs', command, ...args], {
      cwd: clone,
      encoding: 'utf8',
      env: { ...inherited, PATH: clone },
    });
    return { status, said: stderr };
  }

  it.each(['demo', 'dev'])('says so before anything is installed, with the ways to one: npm run %s', (name) => {
    const { status, said } = without(name);

    expect({ status, said }).toMatchObject({ status: 1, said: expect.stringMatching(/^millrace: no Redis/) });
    expect(said).toMatch(new RegExp(`install (redis|valkey).*Docker.*npm run ${name} -- --local`, 's'));
    expect(existsSync(join(clone, 'node_modules'))).toBe(false);
  });

  it('says so in one sentence: npm test', () => {
    expect(without('test')).toEqual({ status: 1, said: expect.stringMatching(/^millrace: the tests need [^\n]*\n$/) });
  });
});

it.each([
  ['darwin', ''],
  ['win32', ''],
  ['linux', 'ID=debian'],
  ['linux', 'ID=ubuntu\nID_LIKE=debian'],
  ['linux', 'ID=fedora'],
  ['linux', 'ID="rocky"\nID_LIKE="rhel centos fedora"'],
  ['linux', 'ID=alpine'],
  ['linux', 'ID=arch'],
  ['linux', 'ID="opensuse-leap"\nID_LIKE="suse opensuse"'],
] as const)(
  'names the same command for a Redis before and after the installation (%s, %s)',
  async (platform, osRelease) => {
    const { installCommand: before } = await import(join(root, 'scripts/redis.mjs'));

    expect(before({ platform, osRelease })).toBe(installCommand({ platform, osRelease }));
  },
);
