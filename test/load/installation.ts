import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { provideRedis } from '@millrace/runtime';
import { Redis } from 'ioredis';

/** Redis, a server of the API and workers, each a process of its own. */
export interface Installation {
  readonly apiUrl: string;
  /** Addresses of the metrics of the API and of the workers. */
  readonly apiMetrics: string;
  readonly workerMetrics: readonly string[];
  readonly redis: Redis;
  close(): Promise<void>;
}

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));
const report = (line: string) => void process.stderr.write(`${line}\n`);

/** Starts an installation that no other test uses. */
export async function startInstallation(workers: number, concurrency: number): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-load-'));
  const opened: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  const close = async () => {
    for (const one of opened.toReversed()) await one();
  };
  try {
    const server = await provideRedis({ directory, report });
    opened.push(server.release);
    const redis = new Redis(server.url, { maxRetriesPerRequest: null });
    opened.push(() => redis.disconnect());
    const start = async (args: readonly string[], spoken: readonly RegExp[]) => {
      const child = spawn(process.execPath, ['--max-semi-space-size=32', main, ...args, '--metrics-port', '0'], {
        cwd: directory,
        env: {
          PATH: process.env['PATH'],
          REDIS_URL: server.url,
          MILLRACE_DIR: directory,
          MILLRACE_CONCURRENCY: String(concurrency),
          MILLRACE_OUTBOUND_ALLOW: '127.0.0.1',
          MILLRACE_REQUESTS_PER_MINUTE: '10000000',
          MILLRACE_LOG_LEVEL: 'warn',
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      opened.push(() => end(child));
      return heard(child, spoken);
    };
    const [apiUrl = '', apiMetrics = ''] = await start(
      ['serve', '--port', '0', '--no-ui'],
      [addressOf.api, addressOf.metrics],
    );
    const addresses = await Promise.all(Array.from({ length: workers }, () => start(['worker'], [addressOf.metrics])));
    return { apiUrl, apiMetrics, workerMetrics: addresses.flat(), redis, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Lines in which processes say where they listen. */
const addressOf = {
  api: /API is at (http:\/\/[\w.:[\]]+)/,
  metrics: /Metrics are at (http:\S+)\.$/,
};

/** Resolves with what the patterns find in the process's lines; rejects when it ends before. */
function heard(child: ChildProcess, patterns: readonly RegExp[]): Promise<readonly string[]> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`A process ended with ${code}:\n${lines.join('\n')}`)));
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      // The first lines are enough to explain why a process ends.
      if (lines.length < 100) lines.push(line);
      const found = patterns.flatMap((pattern) => lines.flatMap((one) => pattern.exec(one)?.[1] ?? [])[0] ?? []);
      if (found.length === patterns.length) resolve(found);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
