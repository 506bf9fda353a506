import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RunFolders } from './run-folders.ts';

const minute = 60_000;
type End = Awaited<ReturnType<ConstructorParameters<typeof RunFolders>[0]['runs']['endOf']>>;

/** Opens the folders of runs in a directory of the test, where it is now `now`; runs without an end are live. */
async function open(ends: Readonly<Record<string, End | readonly End[]>>) {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-folders-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const now = Date.now();
  const asked = new Map<string, number>();
  const endOf = async (run: string): Promise<End> => {
    const times = asked.get(run) ?? 0;
    asked.set(run, times + 1);
    const found = [ends[run] ?? { type: 'live' as const }].flat();
    return found[Math.min(times, found.length - 1)] ?? { type: 'live' };
  };
  const forgotten: string[] = [];
  const another = (installation = 'own', { isDurable = true, end = endOf } = {}) =>
    new RunFolders({
      directory,
      runs: { endOf: end, now: () => now, installation: { id: async () => installation, isDurable } },
      now: () => now,
      forget: (folder) => forgotten.push(folder),
      report: (error) => expect.fail(String(error)),
    });
  const folders = another();
  /** Makes the workspace of a run, which was used last so many minutes ago. */
  const make = async (run: string, minutesAgo: number) => {
    const workspace = folders.workspaceOf(run, 's0');
    await mkdir(join(workspace, 'node_modules'), { recursive: true });
    await writeFile(join(workspace, 'a.txt'), 'a');
    await age(run, minutesAgo);
    return workspace;
  };
  const age = async (run: string, minutesAgo: number) => {
    const at = (now - minutesAgo * minute) / 1000;
    await utimes(join(folders.workspaceOf(run, 's0'), '..'), at, at);
  };
  return { directory, folders, another, make, age, forgotten, asked, now };
}

it('removes the folders of runs that have ended some minutes after their end and last use', async () => {
  const ago = (minutes: number): End => ({ type: 'ended', at: Date.now() - minutes * minute });
  const { folders, make, forgotten, asked } = await open({
    'acme~ended': ago(11),
    'of another store': { type: 'absent' },
    'just ended': ago(9),
    'ended, and used since': ago(11),
  });
  const gone = [await make('acme~ended', 11)];
  const kept = [
    await make('of another store', 5000),
    await make('live', 5000),
    await make('just ended', 11),
    await make('ended, and used since', 9),
  ];

  await folders.sweep();

  expect(gone.filter(existsSync)).toEqual([]);
  expect(kept.filter(existsSync)).toEqual(kept);
  expect(forgotten.map((folder) => join(folder, 'code_workspace'))).toEqual(gone);
  expect(asked.get('ended, and used since')).toBeUndefined();
});

it('removes the folder of a run that was removed while no process of its installation ran', async () => {
  const { another, make, age } = await open({ r: { type: 'absent' } });
  const workspace = await make('r', 0);
  await (await another().use('r'))();
  await age('r', 11);

  await another('another one').sweep();
  expect(existsSync(workspace)).toBe(true);
  await another().sweep();

  expect(existsSync(workspace)).toBe(false);
});

it('keeps the folder of a removed run that another installation has used, too', async () => {
  const { another, make, age } = await open({ r: { type: 'absent' } });
  const workspace = await make('r', 0);
  await (await another().use('r'))();
  await (await another('another one').use('r'))();
  await age('r', 11);

  await another().sweep();

  expect(existsSync(workspace)).toBe(true);
});

it('removes the folders of an installation in memory that has not renewed them for a day', async () => {
  const { another, make, age } = await open({ left: { type: 'absent' }, used: { type: 'absent' } });
  const memory = another('a process', { isDurable: false, end: async () => ({ type: 'live' }) });
  const [left, used] = [await make('left', 0), await make('used', 0)];
  for (const run of ['left', 'used']) {
    await (await memory.use(run))();
    await age(run, 23 * 60);
  }
  await another().sweep();
  expect([left, used].map(existsSync)).toEqual([true, true]);

  await memory.sweep();
  await age('left', 25 * 60);
  await another().sweep();

  expect([left, used].map(existsSync)).toEqual([false, true]);
});

it('keeps a folder from the beginning of its use, also from other processes with the same directory', async () => {
  const { folders, another, make } = await open({ r: { type: 'ended', at: 0 } });
  const workspace = await make('r', 11);
  await another().use('r');

  await folders.sweep();

  expect(existsSync(workspace)).toBe(true);
});

it('keeps folders in use, also those of other processes with the same directory', async () => {
  const { folders, another, make, now } = await open({ r: { type: 'ended', at: 0 } });
  const workspace = await make('r', 11);
  const other = another();
  const release = await other.use('r');

  await other.sweep();
  await folders.sweep();
  expect(existsSync(workspace)).toBe(true);
  await utimes(join(workspace, '..'), (now - 11 * minute) / 1000, (now - 11 * minute) / 1000);
  await release();
  await folders.sweep();

  expect(existsSync(workspace)).toBe(true);
});

it('gives the folder of a run back that is continued while it is removed', async () => {
  const { folders, make, forgotten } = await open({ r: [{ type: 'ended', at: 0 }, { type: 'live' }] });
  const workspace = await make('r', 11);

  await folders.sweep();

  expect(existsSync(join(workspace, 'a.txt'))).toBe(true);
  expect(forgotten).toEqual([]);
});

it('removes what a process left that died while it removed a folder, and nothing else that is no folder of a run', async () => {
  const { directory, folders } = await open({});
  await mkdir(join(directory, '.removed-0/code_workspace'), { recursive: true });
  await mkdir(join(directory, '%zz'));
  await writeFile(join(directory, 'file'), '');

  await folders.sweep();

  expect((await readdir(directory)).sort()).toEqual(['%zz', 'file']);
});
