import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Location } from '@millrace/runtime';
import { freePort } from '../redis/free-port.ts';

const require = createRequire(import.meta.url);
const program = require.resolve('s3rver/bin/s3rver.js');
const bucket = 'contents';
/** The only user of the server. */
const user = 'S3RVER';

/** An S3 server of one's own in a process of its own, with a bucket in a directory of its own. */
export interface S3Server {
  readonly endpoint: string;
  /** The bucket, with the keys of the only user; `prefix` ends with a slash or is empty. */
  location(prefix?: string): S3Location;
  /** The same bucket as the variables of a process. */
  variables(prefix: string): Readonly<Record<string, string>>;
  /** Keys of all objects. */
  objects(): Promise<readonly string[]>;
  /** Path of the file with the contents of an object. */
  fileOf(key: string): string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, with its objects, at its address. */
  restart(): Promise<void>;
  /** Stops it without its noticing: it accepts connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts a server. */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-s3-'));
  const root = join(directory, bucket);
  await mkdir(root);
  const port = await freePort();
  const args = ['-d', directory, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', bucket];
  let server: ChildProcess;
  let isWanted = true;
  const run = async (): Promise<void> => {
    const started = launch(args);
    server = started;
    // It crashes when an object is deleted while it is read.
    started.once('exit', () => {
      if (isWanted && server === started) void run();
    });
    await listening(started);
  };
  const kill = async (): Promise<void> => {
    isWanted = false;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  await run();
  const endpoint = `http://127.0.0.1:${port}`;
  const suffix = '._S3rver_object';
  return {
    endpoint,
    location: (prefix = '') => ({
      bucket,
      prefix,
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
      credentials: { type: 'keys', accessKeyId: user, secretAccessKey: user },
    }),
    variables: (prefix) => ({
      MILLRACE_BLOBS: `s3://${bucket}/${prefix}?endpoint=${endpoint}`,
      AWS_ACCESS_KEY_ID: user,
      AWS_SECRET_ACCESS_KEY: user,
    }),
    async objects() {
      const files = await readdir(root, { recursive: true });
      return files.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
    },
    fileOf: (key) => join(root, `${key}${suffix}`),
    kill,
    async restart() {
      isWanted = true;
      await run();
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const launch = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [program, ...args, '--silent'], { stdio: ['ignore', 'pipe', 'ignore'] });

/** Resolves when a server accepts requests, or has ended. */
function listening(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    let output = '';
    server.once('exit', () => resolve());
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('S3rver listening')) resolve();
    });
  });
}
