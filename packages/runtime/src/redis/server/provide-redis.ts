import { RequestError } from '@millrace/core';
import { hasContainerEngine, useContainerServer } from './container-server.ts';
import { useEmbeddedServer } from './embedded-server.ts';
import { findServer } from './program/find-server.ts';
import { installServer } from './program/install-server.ts';
import { redisHelp } from './redis-help.ts';
import { isServerOf } from './server-address.ts';
import { serverHome } from './server-home.ts';
import type { SharedServer } from './shared-server.ts';

/** Options of {@link provideRedis}. */
export interface ProvideRedisOptions {
  /** The folder of this project's local state; the server and its data are in `redis` below it. */
  readonly directory: string;
  /** The configured Redis, if there is one: no server is started then. */
  readonly url?: string;
  /** Called with one line for each server that is started, attached to or installed. */
  readonly report: (line: string) => void;
  /** Told in one line that a running server is used. */
  readonly reportJoined?: (line: string) => void;
}

/** A Redis for use. */
export interface ProvidedRedis {
  /** Address that every client of Redis takes; with the password of a server that was started here. */
  readonly url: string;
  readonly origin: 'url' | 'embedded' | 'container';
  /** Returns whether the server keeps running when this process releases it: it was configured, or others use it. */
  usedByOthers(): boolean;
  /** Releases the server. The last user stops a server that was started here; its data are kept on disk. */
  release(): Promise<void>;
}

/**
 * Finds or starts a Redis: the configured one, a server program on the PATH, a container, a server installed for it.
 * Throws a RequestError: REDIS_MISSING when there is no way to get one, REDIS_FAILED when one does not start.
 */
export async function provideRedis(options: ProvideRedisOptions): Promise<ProvidedRedis> {
  const { directory, url, report } = options;
  // The URL of the server of the folder, as `redis-url` prints it, leads to the same installation with all of its data.
  const configured = url !== undefined && !isServerOf(directory, url);
  if (configured) return { url, origin: 'url', usedByOthers: () => true, release: async () => undefined };
  const program = await findServer(report);
  if (program !== undefined) return embedded(options, program);
  if (await helpWhileWaiting(hasContainerEngine(), report)) {
    const home = serverHome(directory);
    report('starting or joining a Redis container');
    return provided('container', await useContainerServer(home));
  }
  const installed = (await installServer(report)) ? await findServer(report) : undefined;
  if (installed !== undefined) return embedded(options, installed);
  throw new RequestError('REDIS_MISSING', `No Redis is available. ${redisHelp()}`);
}

/** Time without an answer of Docker after which the alternatives are reported. */
const helpAfterMs = 1500;

/** Waits for the answer about Docker, which takes long where its engine is starting or hangs, and says so. */
async function helpWhileWaiting(answer: Promise<boolean>, report: (line: string) => void): Promise<boolean> {
  const timer = setTimeout(
    () => report(`no Redis so far, and Docker has not answered yet. ${redisHelp()}`),
    helpAfterMs,
  );
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

async function embedded(
  { directory, report, reportJoined }: ProvideRedisOptions,
  program: string,
): Promise<ProvidedRedis> {
  const home = serverHome(directory);
  const server = await useEmbeddedServer(home, program);
  if (server.started) report(`started ${program} (data in ${home.data})`);
  else reportJoined?.(`joined the running Redis of ${home.root}`);
  return provided('embedded', server);
}

function provided(origin: 'embedded' | 'container', server: SharedServer): ProvidedRedis {
  let released: Promise<void> | undefined;
  return {
    url: server.url,
    origin,
    usedByOthers: () => server.usedByOthers(),
    release: () => {
      released ??= server.release();
      return released;
    },
  };
}
