import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisOptions } from 'ioredis';
import { Redis } from 'ioredis';
import { makeDirectorySync } from '../../files/make-directory.ts';
import { withFileLock } from './file-lock.ts';
import type { ServerHome } from './server-home.ts';
import { isAlive, processMark } from './supervise.ts';

/** A server that the commands of one folder share. */
export interface SharedServer {
  readonly url: string;
  /** This call started the server; otherwise it was running. */
  readonly started: boolean;
  usedByOthers(): boolean;
  /** Releases the server; the last user stops it. */
  release(): Promise<void>;
}

/** Use of a server that several processes share. */
interface ServerUse {
  /** Returns the number of other living uses; those of dead processes are removed. */
  others(): number;
  leave(): void;
}

/** Registers in the folder that this process uses the server, until it releases it or dies. */
function joinUsers(folder: string): ServerUse {
  makeDirectorySync(folder, 0o700);
  const own = processMark(process.pid);
  writeFileSync(join(folder, own), '');
  return {
    others() {
      const marks = readdirSync(folder).filter((mark) => mark !== own);
      const dead = marks.filter((mark) => !isAlive(mark));
      for (const mark of dead) rmSync(join(folder, mark), { force: true });
      return marks.length - dead.length;
    },
    leave: () => rmSync(join(folder, own), { force: true }),
  };
}

/** How a kind of server is run. */
interface ServerControl {
  ensureRunning(): Promise<Pick<SharedServer, 'url' | 'started'>>;
  stop(url: string): Promise<unknown>;
}

/** Joins the users of the server of a folder, which the first one starts and the last one stops. */
export async function shareServer(
  { users, turns }: Pick<ServerHome, 'users' | 'turns'>,
  { ensureRunning, stop }: ServerControl,
): Promise<SharedServer> {
  const use = joinUsers(users);
  try {
    const { url, started } = await withFileLock(turns, ensureRunning);
    return {
      url,
      started,
      usedByOthers: () => use.others() > 0,
      release: () =>
        withFileLock(turns, async () => {
          use.leave();
          if (use.others() === 0) await stop(url);
        }),
    };
  } catch (error) {
    use.leave();
    throw error;
  }
}

/** State of a server: `loading` while it reads its data from disk, `absent` when nothing answers. */
type ServerState = 'ready' | 'loading' | 'absent';

/** Sends one request for the state of the server. */
export async function probe(url: string): Promise<ServerState> {
  const client = connectOnce(url, { commandTimeout: silentAfterMs });
  try {
    await client.connect();
    await client.ping();
    return 'ready';
  } catch (error) {
    return error instanceof Error && error.message.startsWith('LOADING') ? 'loading' : 'absent';
  } finally {
    client.disconnect();
  }
}

/** Makes the server save its data and exit; returns when it no longer answers. */
export async function shutDown(url: string): Promise<void> {
  const client = connectOnce(url);
  try {
    await client.connect();
    await client.shutdown();
  } catch (error) {
    // A server that obeys does not reply: it closes the connection.
    if ((await probe(url)) !== 'absent') throw error;
  } finally {
    client.disconnect();
  }
}

/** Another program that listens on the port of a server may never answer. In milliseconds. */
const silentAfterMs = 3000;

function connectOnce(url: string, options: Pick<RedisOptions, 'commandTimeout'> = {}): Redis {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    ...options,
  });
  // Without a listener a refused connection is printed; the awaited calls report it as well.
  client.on('error', () => undefined);
  return client;
}
