import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findServer } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';
import { startRedisContainer } from './redis-container.ts';

/** A Redis of one's own, with an append-only file, on a socket in a directory of its own. */
export interface RedisServer {
  readonly url: string;
  /** Path of its append-only file, from its first start on; absent when that is in a container. */
  readonly appendOnlyFile?: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again with what it had written. */
  restart(): Promise<void>;
  /** Stops it without its noticing: its connections stay open, and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Starts a Redis of one's own; `settings` are further arguments, as in `['--maxmemory-policy', 'allkeys-lru']`. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const program = await findServer(() => undefined);
  if (program === undefined) return startRedisContainer(settings);
  const directory = await mkdtemp(join(tmpdir(), 'millrace-redis-'));
  const socket = join(directory, 'redis.sock');
  const run = (): Promise<ChildProcess> => launch(program, ['--unixsocket', socket, '--dir', directory, ...settings]);
  let server = await run();
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const password = settings[settings.indexOf('--requirepass') + 1] ?? '';
  return {
    url: settings.includes('--requirepass') ? `redis+unix://:${password}@localhost${socket}` : `unix://${socket}`,
    appendOnlyFile: join(directory, 'appendonlydir', 'appendonly.aof.1.incr.aof'),
    kill,
    async restart() {
      server = await run();
    },
    async freeze() {
      server.kill('SIGSTOP');
    },
    async thaw() {
      server.kill('SIGCONT');
    },
    async stop() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function launch(program: string, args: readonly string[]): Promise<ChildProcess> {
  const server = spawn(program, ['--port', '0', '--save', '', '--appendonly', 'yes', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failed = once(server, 'error').then(([error]) => Promise.reject(error));
  await Promise.race([accepting(server), failed]);
  server.stdout.resume();
  return server;
}

async function accepting(server: ChildProcess): Promise<void> {
  if (server.stdout === null) throw new Error('redis-server was started without a pipe.');
  const lines: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    lines.push(line);
    if (line.includes('Ready to accept connections') || line.includes('ready to accept connections at')) return;
  }
  throw new Error(`redis-server ended before it was ready:\n${lines.join('\n')}`);
}
