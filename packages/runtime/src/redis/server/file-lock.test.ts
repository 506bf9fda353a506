import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from './file-lock.ts';
import { isAlive, processMark } from './process-mark.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function markOfTheDead(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '']);
  if (child.pid === undefined) throw new Error('Node could not be started.');
  const mark = processMark(child.pid);
  await once(child, 'exit');
  return mark;
}

describe('a turn', () => {
  it('is given to one at a time, and to everybody', async () => {
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

  it('is over when the work throws', async () => {
    await expect(withFileLock(folder, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withFileLock(folder, async () => 'next')).toBe('next');
  });

  it('does not wait for the dead, and forgets them', async () => {
    const dead = await markOfTheDead();
    writeFileSync(join(folder, `ticket.1.${dead}`), '');
    writeFileSync(join(folder, `choosing.${dead}`), '');
    expect(await withFileLock(folder, async () => 'done')).toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a mark', () => {
  it('tells the living from the dead', async () => {
    expect(isAlive(processMark(process.pid))).toBe(true);
    expect(isAlive(await markOfTheDead())).toBe(false);
  });

  it('is not taken for that of a later process with the same id', () => {
    const [pid, startedAt, unique] = processMark(process.pid).split('.');
    // Where the start of a process cannot be read, it is 0 and ids have to do.
    expect(isAlive(`${pid}.${Number(startedAt) - 1}.${unique}`)).toBe(startedAt === '0');
  });

  it('means nothing when it is none', () => {
    expect(isAlive('.DS_Store')).toBe(false);
  });
});
