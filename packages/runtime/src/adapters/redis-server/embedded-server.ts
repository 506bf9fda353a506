import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import type { ServerAddress, ServerHome } from './server-home.ts';
import { claimAddress, isFree, readAddress, urlOf } from './server-home.ts';
import type { SharedServer } from './shared-server.ts';
import { probe, shareServer, shutDown } from './shared-server.ts';
import { dismiss, isSupervised, supervise } from './supervise.ts';

const pollMs = 25;
/** Reading a large append-only file takes time. */
const startTimeoutMs = 120_000;

/** Attaches to the server of this folder, or starts it with this program. It listens on the loopback interface, with a password. */
export const useEmbeddedServer = (home: ServerHome, program: string): Promise<SharedServer> =>
  shareServer(home, {
    ensureRunning: () => ensureRunning(home, program),
    async stop(url) {
      await shutDown(url);
      dismiss(home);
    },
  });

async function ensureRunning(home: ServerHome, program: string): Promise<{ url: string; started: boolean }> {
  while (existsSync(home.closing) && isSupervised(home)) await sleep(pollMs);
  rmSync(home.closing, { force: true });
  const deadline = performance.now() + startTimeoutMs;
  let address = readAddress(home);
  let started = false;
  for (;;) {
    const state = await stateAt(address);
    if (state.type === 'ready') return { url: state.url, started };
    if (state.type === 'absent' && !isSupervised(home)) {
      if (started) await assertPortTaken(home, address);
      address = await claimAddress(home);
      supervise(home, [program, home.config, ...settings(home)]);
      started = true;
    }
    if (performance.now() > deadline) throw failed(home, `did not answer for ${startTimeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}

/** Asks the server at an address; before the first start there is none. */
async function stateAt(
  address: ServerAddress | undefined,
): Promise<{ readonly type: 'ready'; readonly url: string } | { readonly type: 'loading' | 'absent' }> {
  if (address === undefined) return { type: 'absent' };
  const url = urlOf(address);
  const type = await probe(url);
  return type === 'ready' ? { type, url } : { type };
}

/** Makes sure that a server has ended because another program took its port; then it can be started on another one. */
async function assertPortTaken(home: ServerHome, address: ServerAddress | undefined): Promise<void> {
  if (address === undefined || (await isFree(address.port))) throw failed(home, 'ended while it started');
}

const settings = (home: ServerHome): string[] => [
  ...['--dir', home.data, '--logfile', home.log, '--daemonize', 'no'],
  ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
  ...['--maxmemory-policy', 'noeviction'],
];

function failed(home: ServerHome, what: string): RequestError {
  const lines = existsSync(home.log) ? endOf(home.log).trim().split('\n').slice(-3).join('\n') : '';
  const output = lines === '' ? ' Its log is empty: is the disk full?' : ` It said:\n${lines}`;
  return new RequestError('REDIS_FAILED', `The Redis server of ${home.root} ${what}.${output}`);
}

/** Part of the log that is searched for the last lines, in bytes; the whole log has any size. */
const endBytes = 16 * 1024;

function endOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, endBytes));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
