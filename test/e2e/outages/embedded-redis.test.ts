import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { provideRedis } from '@millrace/runtime';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findServer } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';
import { directoryBeforeEach } from '../../support/fixtures.ts';
import { waitFor, waitUntil } from '../../support/waiting.ts';

const program = fileURLToPath(new URL('../../support/redis/redis-user.mjs', import.meta.url));

const directory = directoryBeforeEach();
let users: ChildProcess[];

beforeEach(() => {
  users = [];
});

afterEach(async () => {
  for (const user of users) user.kill('SIGKILL');
  // Whatever a test left running ends with the next one that uses and releases it.
  await (await provide()).release();
});

const provide = (home = directory) => provideRedis({ directory: home, report: () => undefined });

async function startUser(home = directory) {
  const child = spawn(process.execPath, [program, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  users.push(child);
  const [url] = await once(createInterface(child.stdout), 'line');
  return {
    url: String(url),
    async release() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  // A connection that breaks is made again; without a listener that is printed.
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const pidOf = (url: string) =>
  withClient(url, async (client) => Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]));

const isRunning = (pid: number) => {
  try {
    // A killed process whose parent has not noticed yet has no command line any more.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
};

const ended = (pid: number) => waitFor(() => expect(isRunning(pid)).toBe(false));

// A machine without a server program runs its Redis in a container; see test/containers.
describe.runIf(await findServer(() => undefined))('the embedded Redis', () => {
  it('is shared by the processes of a folder and stopped by the last of them', async () => {
    const [first, second] = await Promise.all([startUser(), startUser()]);
    expect(second.url).toBe(first.url);
    const pid = await pidOf(first.url);
    await first.release();
    expect(await pidOf(second.url)).toBe(pid);
    await second.release();
    await ended(pid);
  });

  it('starts one server when many processes come at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => startUser()));
    const pids = new Set(await Promise.all(all.map((user) => pidOf(user.url))));
    expect(pids.size).toBe(1);
    await Promise.all(all.map((user) => user.release()));
    for (const pid of pids) await ended(pid);
  });

  it('reports whether others still use it', async () => {
    const own = await provide();
    expect(own.usedByOthers()).toBe(false);
    const other = await startUser();
    expect(own.usedByOthers()).toBe(true);
    await other.kill();
    expect(own.usedByOthers()).toBe(false);
    await own.release();
  });

  it('does not count a killed user', async () => {
    const killed = await startUser();
    const pid = await pidOf(killed.url);
    const last = await startUser();
    await killed.kill();
    await last.release();
    await ended(pid);
  });

  it('ends by itself when its only user is killed, and starts again for the next', async () => {
    const killed = await startUser();
    const pid = await pidOf(killed.url);
    await killed.kill();
    await ended(pid);
    const next = await provide();
    expect(await withClient(next.url, (client) => client.ping())).toBe('PONG');
    await next.release();
  });

  it('ends when its folder is removed while it is used', async () => {
    const { url } = await startUser();
    const pid = await pidOf(url);

    rmSync(directory, { recursive: true });

    await waitUntil(() => !isRunning(pid));
  });

  it('is the same installation for a process that connects with its URL', async () => {
    const { url } = await startUser();

    const other = await provideRedis({ directory, url, report: () => undefined });

    expect(other).toMatchObject({ url, origin: 'embedded' });
    await other.release();
  });

  it('is taken over half-started when the process that started it is killed', async () => {
    const starter = spawn(process.execPath, [program, directory], { stdio: 'ignore' });
    await vi.waitFor(() => expect(existsSync(join(directory, 'redis', 'supervisor'))).toBe(true), {
      interval: 1,
      timeout: 20_000,
    });
    starter.kill('SIGKILL');
    const next = await provide();
    expect(await withClient(next.url, (client) => client.ping())).toBe('PONG');
    expect(await pidOf(next.url)).toBe(await pidOf((await startUser()).url));
    await next.release();
  });

  it('does not wait for a killed process that held the lock', async () => {
    const turns = join(directory, 'redis', 'turns');
    const starter = spawn(process.execPath, [program, directory], { stdio: 'ignore' });
    await vi.waitFor(() => expect(readdirSync(turns)).not.toEqual([]), { interval: 1, timeout: 20_000 });
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    const next = await provide();
    expect(readdirSync(turns)).toEqual([]);
    await next.release();
  });

  it('serves a process that starts right after the only user was killed', async () => {
    const killed = await startUser();
    await killed.kill();
    const next = await provide();
    // Longer than the supervisor takes to look after the users.
    await withClient(next.url, (client) => client.blpop('nothing', 2.5));
    expect(await withClient(next.url, (client) => client.ping())).toBe('PONG');
    await next.release();
  });

  it('keeps its data across a stop', async () => {
    const first = await provide();
    await withClient(first.url, (client) => client.set('kept', 'yes'));
    await first.release();
    const second = await provide();
    expect(await withClient(second.url, (client) => client.get('kept'))).toBe('yes');
    await second.release();
  });

  it('comes back with its data when the server is killed under its users', async () => {
    const own = await provide();
    await withClient(own.url, (client) => client.set('kept', 'yes'));
    const pid = await pidOf(own.url);
    process.kill(pid, 'SIGKILL');
    await ended(pid);
    // The client connects again by itself, as every process of Millrace does.
    expect(await withClient(own.url, (client) => client.get('kept'))).toBe('yes');
    expect(await pidOf(own.url)).not.toBe(pid);
    await own.release();
  });

  it('listens on the loopback interface alone, and requires a password that only its owner can read', async () => {
    const own = await provide();
    expect(own.url).toMatch(/^redis:\/\/default:[0-9a-f]{64}@127\.0\.0\.1:\d+$/);
    const config = join(directory, 'redis', 'redis.conf');
    expect(statSync(config).mode & 0o777).toBe(0o600);
    const { password, port } = new URL(own.url);
    expect(readFileSync(config, 'utf8')).toContain(password);
    await expect(withClient(`redis://127.0.0.1:${port}`, (client) => client.get('kept'))).rejects.toThrow('NOAUTH');
    const [, bound] = await withClient(own.url, (client) => client.config('GET', 'bind') as Promise<string[]>);
    expect(bound).toBe('127.0.0.1');
    // Other users of the machine see the arguments of processes.
    const pid = await pidOf(own.url);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
    const supervisor = Number.parseInt(readFileSync(join(directory, 'redis', 'supervisor'), 'utf8'), 10);
    expect(readFileSync(`/proc/${supervisor}/cmdline`, 'utf8')).not.toContain(password);
    await own.release();
  });

  it('keeps its address from start to start, and its password when another program has taken the port', async () => {
    const first = await provide();
    await first.release();
    const second = await provide();
    expect(second.url).toBe(first.url);
    await second.release();

    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(squatter, 'listening');
    const third = await provide();
    expect(new URL(third.url).port).not.toBe(new URL(first.url).port);
    expect(new URL(third.url).password).toBe(new URL(first.url).password);
    expect(await withClient(third.url, (client) => client.ping())).toBe('PONG');
    await third.release();
    squatter.close();
  });

  it('refuses to evict and writes what is acknowledged to disk', async () => {
    const own = await provide();
    const settings = await withClient(own.url, async (client) =>
      Promise.all(['maxmemory-policy', 'appendonly', 'appendfsync', 'save'].map((name) => client.config('GET', name))),
    );
    expect(settings.flat()).toEqual([
      ...['maxmemory-policy', 'noeviction', 'appendonly', 'yes'],
      ...['appendfsync', 'everysec', 'save', ''],
    ]);
    await own.release();
  });

  it('leaves no files of its users behind', async () => {
    const user = await startUser();
    await user.release();
    expect(readdirSync(join(directory, 'redis', 'users'))).toEqual([]);
    expect(readdirSync(join(directory, 'redis', 'turns'))).toEqual([]);
  });

  it('names ways to get a Redis when there is none', async () => {
    const child = spawn(process.execPath, [program, directory], { stdio: 'pipe', env: { PATH: directory } });
    const said = text(child.stderr);
    await once(child, 'exit');
    expect(await said).toMatch(/apt-get install redis-server.*docker run.*REDIS_URL=.*--local.*REDIS_MISSING/s);
  });

  it('names them while Docker does not answer', async () => {
    writeFileSync(
      join(directory, 'docker'),
      `#!/bin/sh\nuntil [ -e ${directory}/answer ]; do /bin/sleep 0.05; done\nexit 1\n`,
    );
    chmodSync(join(directory, 'docker'), 0o755);
    vi.stubEnv('PATH', directory);
    const lines: string[] = [];
    const provided = provideRedis({
      directory,
      report: (line) => {
        lines.push(line);
        writeFileSync(join(directory, 'answer'), '');
      },
    });
    await expect(provided)
      .rejects.toMatchObject({ code: 'REDIS_MISSING' })
      .finally(() => vi.unstubAllEnvs());

    expect(lines).toEqual([expect.stringMatching(/Docker has not answered yet.*install.*docker run.*--local/s)]);
  });

  it('is not started when a Redis is configured', async () => {
    const configured = await provideRedis({ directory, url: 'redis://elsewhere:6379', report: () => undefined });
    expect(configured).toMatchObject({ url: 'redis://elsewhere:6379', origin: 'url' });
    expect(existsSync(join(directory, 'redis'))).toBe(false);
    await configured.release();
  });
});
