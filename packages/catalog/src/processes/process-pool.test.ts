import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import type { ProcessPoolOptions } from './process-pool.ts';
import { PoolBusy, ProcessPool, TaskOverrun } from './process-pool.ts';

/**
 * A process that returns its number, or the names of its variables, and is spent after the task `last`; it ends no task `forever`,
 * computes without an end for `busy` and for a while for `while`, and takes more memory than it may for `table`.
 */
const program = `
  const table = new Map();
  process.on('message', ({ task }) => {
    if (task === 'fault') process.send({ type: 'failed', message: 'a fault' });
    while (task === 'table') table.set(table.size, []);
    while (task === 'busy');
    const used = ({ user, system } = process.cpuUsage()) => (user + system) / 1000;
    for (const before = used(); task === 'while' && used() - before < 200; );
    const result = task === 'variables' ? Object.keys(process.env) : process.pid;
    if (task !== 'forever') process.send({ type: 'done', result, isSpent: task === 'last' });
  });
  process.on('disconnect', () => process.exit());
  process.send({ type: 'ready' });
`;

let directory = '';
let module: URL;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'process-pool-'));
  module = pathToFileURL(join(directory, 'program.mjs'));
  await writeFile(module, program);
});
afterAll(() => rm(directory, { recursive: true }));

const open = (size: number, options: Partial<ProcessPoolOptions> = {}) =>
  new ProcessPool<unknown, number>({ module, size, processorMs: 60_000, heapMb: 64, ...options });

const kill = (pid: number, signal: NodeJS.Signals) => process.kill(pid, signal);

/** Returns whether a process exists. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('keeps a process, and ends it when it is spent or has failed', async () => {
  const pool = open(1);
  const first = await pool.run('task');
  const kept = await pool.run('last');
  const second = await pool.run('task');
  await expect(pool.run('fault')).rejects.toThrow('a fault');
  const third = await pool.run('task');
  await pool.close();

  expect(kept).toBe(first);
  expect(new Set([first, second, third]).size).toBe(3);
});

it('loses only the process of a task with a table that V8 has no memory for', async () => {
  const pool = open(2);
  const [other] = await Promise.all([
    pool.run('task'),
    expect(pool.run('table')).rejects.toEqual(new TaskOverrun('memory')),
  ]);
  expect(await pool.run('task')).toBe(other);
  await pool.close();
});

it.each([
  ['uses too much processor time', 'busy', { processorMs: 300 }],
  ['takes too long without any', 'forever', { processorMs: 60 }],
])('ends the process of a task that %s', async (_what, task, limit) => {
  const pool = open(1, limit);
  const first = await pool.run('task');
  await expect(pool.run(task)).rejects.toEqual(new TaskOverrun('time'));
  await expect.poll(() => exists(first)).toBe(false);
  expect(await pool.run('task')).not.toBe(first);
  await pool.close();
});

it('does not count the time in which a process had no processor', async () => {
  const pool = open(1, { processorMs: 500 });
  const process = await pool.run('task');
  const running = pool.run('while');
  kill(process, 'SIGSTOP');
  // Longer than the limit, and shorter than the time after which it is ended in any case.
  setTimeout(() => kill(process, 'SIGCONT'), 1000);

  expect(await running).toBe(process);
  await pool.close();
});

it('gives processes no variables of this one', async () => {
  const pool = open(1);
  expect(await pool.run('variables')).not.toContain('PATH');
  await pool.close();
});

it('ends a process that has had no task for some time, and all when it is closed', async () => {
  const brief = open(1, { keptMs: 1 });
  const unused = await brief.run('task');
  await expect.poll(() => exists(unused)).toBe(false);
  expect(await brief.run('task')).not.toBe(unused);

  const pool = open(1);
  const kept = await pool.run('task');
  expect(exists(kept)).toBe(true);
  await pool.close();
  expect(exists(kept)).toBe(false);
});

it('fails tasks whose process cannot be started or ends by itself, and takes others', async () => {
  const missing = open(1, { module: new URL('missing.mjs', module) });
  await expect(missing.run('task')).rejects.toThrow('The process has ended with code 1.');
  await expect(missing.run('task')).rejects.toThrow('The process has ended with code 1.');
});

it('fails only the task that cannot be copied', async () => {
  const pool = open(1);
  const uncopied = [pool.run(() => 1), pool.run(() => 2)];
  const next = pool.run('task');

  expect((await Promise.allSettled(uncopied)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await next).toBe(await pool.run('task'));
  await pool.close();
});

it('serves owners in turn, each in the order of its tasks', async () => {
  const pool = open(1);
  const order: string[] = [];
  const run = (owner: string, at: number) => pool.run('task', { owner }).then(() => order.push(`${owner}${at}`));
  await Promise.all([run('a', 1), run('a', 2), run('a', 3), run('b', 1), run('c', 1), run('b', 2)]);
  await pool.close();

  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('refuses tasks of an owner that has as many waiting as may be', async () => {
  const pool = open(1);
  const tasks = [1, 2, 3].map(() => pool.run('forever', { owner: 'a', maxQueued: 1 }).catch((error: unknown) => error));
  expect(await tasks[2]).toBeInstanceOf(PoolBusy);
  await pool.close();
});

it('takes no longer for a task when many wait', async () => {
  const pool = open(1);
  await pool.run('task');
  const tasks: Promise<unknown>[] = [];

  const ms = await cpuMs(() => {
    for (let count = 0; count < 20_000; count += 1) tasks.push(pool.run('task'));
  });

  // With a search through all that wait for each, it was some seconds.
  expect(ms).toBeLessThan(1000);
  const settled = Promise.allSettled(tasks);
  await pool.close();
  expect((await settled).at(-1)).toMatchObject({ reason: new Error('The pool was closed.') });
});
