import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../../../../test/support/fixtures.ts';
import { withFileLock } from './file-lock.ts';
import { isAlive, processMark } from './supervise.ts';

const folder = directoryBeforeEach();

async function markOfTheDead(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '']);
  if (child.pid === undefined) throw new Error('Node could not be started.');
  const mark = processMark(child.pid);
  await once(child, 'exit');
  return mark;
}

describe('a file lock', () => {
  it('is held by one process at a time, and by each eventually', async () => {
    let working = 0;
    let most = 0;
    const work = async (index: number) => {
      working += 1;
      most = Math.max(most, working);
      await new Promise(setImmediate);
      working -= 1;
      return index;
    };
    const indexes = Array.from({ length: 12 }, (_, index) => index);
    expect(await Promise.all(indexes.map((index) => withFileLock(folder, () => work(index))))).toEqual(indexes);
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is released when the work throws', async () => {
    await expect(withFileLock(folder, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withFileLock(folder, async () => 'next')).toBe('next');
  });

  it('is taken from dead processes, whose files are removed', async () => {
    const dead = await markOfTheDead();
    writeFileSync(join(folder, `ticket.1.${dead}`), '');
    writeFileSync(join(folder, `choosing.${dead}`), '');
    expect(await withFileLock(folder, async () => 'done')).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a process mark', () => {
  it('distinguishes live processes from dead ones', async () => {
    expect(isAlive(processMark(process.pid))).toBe(true);
    expect(isAlive(await markOfTheDead())).toBe(false);
  });

  it('is not confused with that of a later process with the same id', () => {
    const [pid, startedAt, unique] = processMark(process.pid).split('.');
    // Where the start of a process cannot be read, it is 0 and ids have to do.
    expect(isAlive(`${pid}.${Number(startedAt) - 1}.${unique}`)).toBe(startedAt === '0');
  });

  it('is ignored when it is malformed', () => {
    expect(isAlive('.DS_Store')).toBe(false);
  });
});
