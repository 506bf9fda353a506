import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A PostgreSQL server of its own, on a loopback port, which is removed when it is stopped. */
export interface Postgres {
  /** Address of a database of the server. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** User that the server runs as; PostgreSQL refuses to run as root. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Starts PostgreSQL with its default settings; undefined if it is not installed. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const programs = programDirectory();
  if (programs === undefined) return undefined;
  const account = await accountForServer();
  const directory = await mkdtemp(join(tmpdir(), 'millrace-postgres-'));
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) {
    await Promise.all([directory, passwordFile].map((path) => chown(path, account.uid, account.gid)));
  }
  const data = join(directory, 'data');
  const initialise = ['-D', data, '-U', 'bench', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  await run(join(programs, 'initdb'), initialise, { ...account, cwd: directory });
  const port = await freePort();
  const args = ['-D', data, '-k', directory, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
  const server = spawn(join(programs, 'postgres'), args, {
    ...account,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  await ready(server.stderr, ended);
  return {
    url: (database) => `postgresql://bench:${password}@127.0.0.1:${port}/${database}`,
    async stop() {
      server.kill('SIGINT');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until the server accepts connections, by what it logs. */
async function ready(log: NodeJS.ReadableStream, ended: Promise<void>): Promise<void> {
  let text = '';
  const started = new Promise<void>((resolve) => {
    log.on('data', (chunk: Buffer) => {
      if (text.includes('ready to accept connections')) return;
      text += chunk.toString();
      if (text.includes('ready to accept connections')) resolve();
    });
  });
  const failed = ended.then(() => {
    throw new Error(`PostgreSQL did not start:\n${text}`);
  });
  await Promise.race([started, failed]);
  failed.catch(() => undefined);
}

/** Debian keeps the server's programs outside of the path, by version. */
function programDirectory(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')));
}

async function accountForServer(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => (await run('id', [flag, 'postgres'])).stdout));
  return { uid: Number(uid), gid: Number(gid) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on a port
      server.close(() => resolve(port));
    });
  });
}
