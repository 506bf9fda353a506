import { RequestError } from '@millrace/core/errors';
import { hasContainerEngine } from './program/container-engine.ts';
import { findServer } from './program/find-server.ts';
import { installServer } from './program/install-server.ts';
import { redisHelp } from './redis-help.ts';
import { isServerOf } from './server-address.ts';

/*
 * A separate entry of the package, `@millrace/runtime/find-redis`: it loads no other library, so that a command on a
 * machine without Redis ends within a moment, before it loads the runtime.
 */

/** Options of {@link findRedis}. */
export interface FindRedisOptions {
  /** The folder of this project's local state; the server and its data are in `redis` below it. */
  readonly directory: string;
  /** The configured Redis, if there is one: no server is started then. */
  readonly url?: string;
  /** Called with one line for each server that is started, attached to or installed. */
  readonly report: (line: string) => void;
}

/** A Redis that can be used: a configured one, a server program, or a container. */
export type FoundRedis =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'program'; readonly program: string }
  | { readonly type: 'container' };

/**
 * Finds a Redis, and starts none: the configured one, a server program on the PATH, a container engine, or a server that
 * is installed for it. Throws a RequestError, REDIS_MISSING, when there is none.
 */
export async function findRedis({ directory, url, report }: FindRedisOptions): Promise<FoundRedis> {
  // The URL of the server of the folder, as `redis-url` prints it, leads to the same installation with all of its data.
  if (url !== undefined && !isServerOf(directory, url)) return { type: 'url', url };
  const program = await findServer(report);
  if (program !== undefined) return { type: 'program', program };
  if (await helpWhileWaiting(hasContainerEngine(), report)) return { type: 'container' };
  const installed = (await installServer(report)) ? await findServer(report) : undefined;
  if (installed !== undefined) return { type: 'program', program: installed };
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
