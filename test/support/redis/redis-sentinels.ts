import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findServer } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';
import { freePort } from './free-port.ts';
import type { RedisServer } from './redis.ts';
import { startRedis } from './redis.ts';
import type { Security } from './secured.ts';
import { securedSettings } from './secured.ts';
import { tellRedis } from './tell-redis.ts';

/** A master and its replicas, watched by sentinels. */
export interface WatchedRedis {
  /** URL that names the sentinels. */
  readonly url: string;
  /** The servers; the first one is the master at the start. */
  readonly servers: readonly { readonly port: number; readonly server: RedisServer }[];
  /** Returns the port of the master that the sentinels name. */
  masterPort(): Promise<number>;
  /** Returns the master that the sentinels name. */
  master(): Promise<WatchedRedis['servers'][number]>;
  /** Lets the sentinels replace a master that is not down. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Number of servers of each kind, and further settings. */
export interface WatchedRedisOptions {
  readonly replicas?: number;
  readonly sentinels?: number;
  /** Time after which a silent master counts as down, in milliseconds. */
  readonly downAfterMs?: number;
  readonly settings?: readonly string[];
  /** Also for the sentinels, whose password is that of the servers. */
  readonly security?: Security;
}

/** Starts them; the replicas have caught up, and all sentinels know each other. */
export async function startWatchedRedis({
  replicas = 1,
  sentinels = 1,
  downAfterMs = 1000,
  settings = [],
  security,
}: WatchedRedisOptions = {}): Promise<WatchedRedis> {
  const servers = await Promise.all(Array.from({ length: 1 + replicas }, () => startServer(settings, security)));
  const host = security === undefined ? '127.0.0.1' : 'localhost';
  const [master, ...others] = servers;
  if (master === undefined) throw new Error('There is a master.');
  for (const { server } of others) {
    await tellRedis(server.url, 'REPLICAOF', host, master.port);
    while (!String(await tellRedis(server.url, 'INFO', 'replication')).includes('master_link_status:up'))
      await pause(20);
  }
  while ((await replicasOf(master.server)) < replicas) await pause(20);
  const watch = { masterPort: master.port, quorum: Math.floor(sentinels / 2) + 1, downAfterMs, host, security };
  const watching = await Promise.all(Array.from({ length: sentinels }, () => startSentinel(watch)));
  const [first] = watching;
  if (first === undefined) throw new Error('There is a sentinel.');
  for (const { url } of watching) await knowsAll(url, { replicas, sentinels });
  const masterPort = async () => {
    const reply = await tellRedis(first.url, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
    return Number((reply as readonly string[])[1]); // host and port
  };
  return {
    url: `${schemeOf(security)}${watching.map(({ port }) => `${host}:${port}`).join(',')}/mymaster`,
    servers,
    masterPort,
    async master() {
      const port = await masterPort();
      const named = servers.find((one) => one.port === port);
      if (named === undefined) throw new Error(`The sentinels name a master at port ${port}.`);
      return named;
    },
    async failOver() {
      await tellRedis(first.url, 'SENTINEL', 'FAILOVER', 'mymaster');
    },
    async stop() {
      await Promise.all([...watching, ...servers.map(({ server }) => server)].map((one) => one.stop()));
    },
  };
}

/** Returns the number of replicas to which a master streams its writes. */
export const replicasOf = async ({ url }: Pick<RedisServer, 'url'>): Promise<number> =>
  String(await tellRedis(url, 'INFO', 'replication')).split('state=online').length - 1;

const schemeOf = (security: Security | undefined): string =>
  security === undefined ? 'redis+sentinel://' : `rediss+sentinel://${security.user.name}:${security.user.password}@`;

async function startServer(settings: readonly string[], security: Security | undefined) {
  const port = await freePort();
  const access =
    security === undefined
      ? ['--port', String(port)]
      : [...securedSettings(security, port), '--replica-announce-ip', 'localhost'];
  const local = ['--bind', '127.0.0.1', '--repl-diskless-sync-delay', '0'];
  return { port, server: await startRedis([...access, ...local, ...settings]) };
}

interface Watch {
  readonly masterPort: number;
  readonly quorum: number;
  readonly downAfterMs: number;
  readonly host: string;
  readonly security: Security | undefined;
}

/** Lines of the configuration of a sentinel that speaks with servers, sentinels and clients over TLS, with passwords. */
function securedLines({ certificates, password }: Security, port: number): readonly string[] {
  const settings = certificates.settings(port);
  const files = settings.flatMap((word, at) => (word.startsWith('--') ? [`${word.slice(2)} ${settings[at + 1]}`] : []));
  return [
    ...files,
    'tls-replication yes',
    `requirepass ${password}`,
    `sentinel sentinel-pass ${password}`,
    `sentinel auth-pass mymaster ${password}`,
    'sentinel announce-ip localhost',
  ];
}

async function startSentinel({ masterPort, quorum, downAfterMs, host, security }: Watch) {
  const program = await findServer(() => undefined);
  if (program === undefined) throw new Error('Sentinels need a redis-server or valkey-server on the PATH.');
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'millrace-sentinel-'));
  const file = join(directory, 'sentinel.conf');
  const socket = join(directory, 'sentinel.sock');
  const lines = [
    `port ${security === undefined ? port : 0}`,
    'bind 127.0.0.1',
    `unixsocket ${socket}`,
    `dir ${directory}`,
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
    `sentinel monitor mymaster ${host} ${masterPort} ${quorum}`,
    ...(security === undefined ? [] : securedLines(security, port)),
    `sentinel down-after-milliseconds mymaster ${downAfterMs}`,
    'sentinel failover-timeout mymaster 5000',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const sentinel = spawn(program, [file, '--sentinel'], { stdio: 'ignore' });
  const url =
    security === undefined ? `redis://127.0.0.1:${port}` : `redis+unix://:${security.password}@localhost${socket}`;
  while ((await tellRedis(url, 'PING').catch(() => undefined)) !== 'PONG') await pause(20);
  return {
    port,
    url,
    async stop() {
      const ended = once(sentinel, 'exit');
      sentinel.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function knowsAll(url: string, { replicas, sentinels }: { replicas: number; sentinels: number }): Promise<void> {
  for (;;) {
    const flat = ((await tellRedis(url, 'SENTINEL', 'MASTER', 'mymaster')) as readonly string[]).join(' ');
    if (flat.includes(`num-slaves ${replicas} `) && flat.includes(`num-other-sentinels ${sentinels - 1} `)) return;
    await pause(50);
  }
}
