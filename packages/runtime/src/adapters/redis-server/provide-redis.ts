import { useContainerServer } from './container-server.ts';
import { useEmbeddedServer } from './embedded-server.ts';
import type { FindRedisOptions, FoundRedis } from './find-redis.ts';
import { findRedis } from './find-redis.ts';
import { readAddress, serverHome } from './server-home.ts';
import type { SharedServer } from './shared-server.ts';

/** Options of {@link provideRedis}. */
export interface ProvideRedisOptions extends FindRedisOptions {
  /** Called with one line when a running server is used, or one is started that was there before. */
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
 * Provides the Redis that `findRedis` has found: starts it or attaches to it, unless its URL is configured. Throws a
 * RequestError: REDIS_MISSING when there is none, REDIS_FAILED when one does not start.
 */
export async function provideRedis(options: ProvideRedisOptions, found?: FoundRedis): Promise<ProvidedRedis> {
  const { directory, report } = options;
  const redis = found ?? (await findRedis(options));
  if (redis.type === 'url') {
    return { url: redis.url, origin: 'url', usedByOthers: () => true, release: async () => undefined };
  }
  if (redis.type === 'program') return embedded(options, redis.program);
  const home = serverHome(directory);
  report('starting or joining a Redis container');
  return provided('container', await useContainerServer(home));
}

async function embedded(
  { directory, report, reportJoined }: ProvideRedisOptions,
  program: string,
): Promise<ProvidedRedis> {
  const home = serverHome(directory);
  const isFirst = readAddress(home) === undefined;
  const server = await useEmbeddedServer(home, program);
  // The server stops with its last user, so most commands start it.
  const reportStarted = isFirst ? report : reportJoined;
  if (server.started) reportStarted?.(`started ${program} (data in ${home.data})`);
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
