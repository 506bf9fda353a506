import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import { withFileLock } from './file-lock.ts';
import { probe, shutDown } from './probe.ts';
import type { ServerHome } from './server-home.ts';
import { socketOf } from './server-home.ts';
import { joinUsers } from './server-users.ts';
import type { SharedServer } from './shared-server.ts';
import { dismiss, isSupervised, supervise } from './supervise.ts';

const pollMs = 25;
/** Reading a large append-only file takes time. */
const startTimeoutMs = 120_000;

/** Attaches to the server of this folder, or starts it with this program. It listens on a socket of this user alone. */
export async function useEmbeddedServer(home: ServerHome, program: string): Promise<SharedServer> {
  const socket = socketOf(home);
  const use = joinUsers(home.users);
  try {
    const started = await withFileLock(home.turns, () => ensureRunning(home, socket, program));
    return {
      url: socket,
      started,
      usedByOthers: () => use.others() > 0,
      release: () =>
        withFileLock(home.turns, async () => {
          use.leave();
          if (use.others() > 0) return;
          await shutDown(socket);
          dismiss(home);
        }),
    };
  } catch (error) {
    use.leave();
    throw error;
  }
}

async function ensureRunning(home: ServerHome, socket: string, program: string): Promise<boolean> {
  while (existsSync(home.closing) && isSupervised(home)) await sleep(pollMs);
  rmSync(home.closing, { force: true });
  const deadline = performance.now() + startTimeoutMs;
  let started = false;
  for (;;) {
    const state = await probe(socket);
    if (state === 'ready') return started;
    if (state === 'absent' && !isSupervised(home)) {
      if (started) throw failed(home, 'ended while it started');
      supervise(home, [program, ...settings(home, socket)]);
      started = true;
    }
    if (performance.now() > deadline) throw failed(home, `did not answer for ${startTimeoutMs / 1000} s`);
    await sleep(pollMs);
  }
}

const settings = (home: ServerHome, socket: string): string[] => [
  ...['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700'],
  ...['--dir', home.data, '--logfile', home.log, '--daemonize', 'no'],
  ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
  ...['--maxmemory-policy', 'noeviction'],
];

function failed(home: ServerHome, what: string): RequestError {
  const lines = existsSync(home.log) ? readFileSync(home.log, 'utf8').trim().split('\n').slice(-3) : [];
  const said = lines.length === 0 ? '' : ` It said:\n${lines.join('\n')}`;
  return new RequestError('REDIS_FAILED', `The Redis server of ${home.root} ${what}.${said}`);
}
