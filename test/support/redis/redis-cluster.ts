import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import type { RedisServer } from './redis.ts';
import { startRedis } from './redis.ts';
import type { Security } from './secured.ts';
import { securedSettings } from './secured.ts';
import { tellRedis } from './tell-redis.ts';

/** A node of a cluster. */
export interface ClusterNode {
  readonly id: string;
  readonly port: number;
  readonly server: RedisServer;
}

/** A cluster of servers on this machine. */
export interface RedisCluster {
  /** URL that names all nodes. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** Returns the master that stores a key. */
  ownerOf(key: string): Promise<ClusterNode>;
  /** Returns a replica of the master that stores a key. */
  replicaOf(key: string): Promise<ClusterNode>;
  /** Moves the slot of a key to another master, some keys at once, as `redis-cli --cluster reshard` does. */
  moveSlot(key: string, to: ClusterNode, keysAtOnce?: number): Promise<void>;
  /**
   * Interrupts a move of the slot of a key: the keys for which `moves` holds are at the other master, and the former one
   * owns the slot as if there were no others, as `redis-cli --cluster fix` leaves it.
   */
  halfMoveSlot(key: string, to: ClusterNode, moves: (key: string) => boolean): Promise<HalfMove>;
  stop(): Promise<void>;
}

/** A slot whose keys are at two masters. */
export interface HalfMove {
  readonly slot: number;
  readonly from: ClusterNode;
  readonly to: ClusterNode;
  /** Returns the keys that each of the two masters has. */
  keys(): Promise<readonly [from: readonly string[], to: readonly string[]]>;
  /** Finishes the move by the commands that the guide names. */
  finish(): Promise<void>;
}

const slots = 16_384;
/** Time after which a silent node counts as failed, in milliseconds. */
const nodeTimeoutMs = 2000;

/** Starts a cluster whose masters have a number of replicas each. */
export async function startRedisCluster({
  masters = 3,
  replicas = 0,
  settings = [],
  security,
}: {
  readonly masters?: number;
  readonly replicas?: number;
  readonly settings?: readonly string[];
  readonly security?: Security;
} = {}): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: masters * (1 + replicas) }, () => startNode(settings, security)),
  );
  const [first] = nodes;
  if (first === undefined) throw new Error('A cluster has nodes.');
  await Promise.all(
    nodes.slice(0, masters).map(async ({ server }, at) => {
      const from = Math.floor((slots * at) / masters);
      const to = Math.floor((slots * (at + 1)) / masters) - 1;
      await tellRedis(server.url, 'CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
      await tellRedis(server.url, 'CLUSTER', 'ADDSLOTSRANGE', from, to);
    }),
  );
  for (const { server } of nodes.slice(1))
    await tellRedis(server.url, 'CLUSTER', 'MEET', '127.0.0.1', first.port, first.busPort);
  await all(nodes, async ({ server }) => (await clusterInfo(server)).includes(`cluster_known_nodes:${nodes.length}`));
  await Promise.all(
    nodes.slice(masters).map(async ({ server }, at) => {
      const master = nodes[at % masters];
      if (master === undefined) throw new Error('A replica has a master.');
      await eventually(() => tellRedis(server.url, 'CLUSTER', 'REPLICATE', master.id));
    }),
  );
  await all(nodes, async ({ server }) => (await clusterInfo(server)).includes('cluster_state:ok'));
  await all(nodes.slice(masters), async ({ server }) =>
    String(await tellRedis(server.url, 'INFO', 'replication')).includes('master_link_status:up'),
  );
  const ownerOf = (key: string): Promise<ClusterNode> => findOwner(nodes, key);
  return {
    url: `${schemeOf(security)}${nodes.map(({ port }) => `${hostOf(security)}:${port}`).join(',')}`,
    nodes,
    ownerOf,
    async replicaOf(key) {
      const { id } = await ownerOf(key);
      for (const node of nodes) {
        const role = (await tellRedis(node.server.url, 'CLUSTER', 'NODES')) as string;
        if (role.split('\n').some((line) => line.includes(`myself,slave ${id} `))) return node;
      }
      throw new Error(`The master of ${key} has no replica.`);
    },
    moveSlot: async (key, to, keysAtOnce = 100) => moveSlot(nodes, { from: await ownerOf(key), to, key, keysAtOnce }),
    halfMoveSlot: async (key, to, moves) => halfMoveSlot(nodes, { from: await ownerOf(key), to, key }, moves),
    async stop() {
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}

type StartedNode = ClusterNode & { readonly busPort: number };

const schemeOf = (security: Security | undefined): string =>
  security === undefined ? 'redis+cluster://' : `rediss+cluster://${security.user.name}:${security.user.password}@`;

/** Certificates are for a name. */
const hostOf = (security: Security | undefined): string => (security === undefined ? '127.0.0.1' : 'localhost');

/** Starts a node on free ports, and on others if another program has taken one of them meanwhile. */
async function startNode(settings: readonly string[], security: Security | undefined): Promise<StartedNode> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startNodeOnce(settings, security);
    } catch (error) {
      if (attempt === 3 || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function startNodeOnce(settings: readonly string[], security: Security | undefined): Promise<StartedNode> {
  const [port, busPort] = [await freePort(), await freePort()];
  const access =
    security === undefined
      ? ['--port', String(port)]
      : [
          ...securedSettings(security, port),
          ...['--tls-cluster', 'yes', '--cluster-announce-hostname', 'localhost'],
          ...['--cluster-preferred-endpoint-type', 'hostname'],
        ];
  const server = await startRedis([
    ...[...access, '--bind', '127.0.0.1', '--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
    ...['--cluster-node-timeout', String(nodeTimeoutMs), '--repl-diskless-sync-delay', '0'],
    ...settings,
  ]);
  return { id: String(await tellRedis(server.url, 'CLUSTER', 'MYID')), port, busPort, server };
}

const clusterInfo = async (server: RedisServer): Promise<string> =>
  String(await tellRedis(server.url, 'CLUSTER', 'INFO'));

async function all(nodes: readonly ClusterNode[], holds: (node: ClusterNode) => Promise<boolean>): Promise<void> {
  for (const node of nodes) while (!(await holds(node))) await pause(20);
}

/** Nodes learn of each other by gossip, so the first attempts may fail. */
async function eventually(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await act();
      return;
    } catch {
      await pause(50);
    }
  }
}

async function findOwner(nodes: readonly ClusterNode[], key: string): Promise<ClusterNode> {
  for (;;) {
    for (const node of nodes) {
      const answer = await tellRedis(node.server.url, 'SETRANGE', key, 0, '').catch((error: Error) => error.message);
      if (answer === 0) return node;
    }
    await pause(50);
  }
}

interface Move {
  readonly from: ClusterNode;
  readonly to: ClusterNode;
  readonly key: string;
}

async function moveSlot(
  nodes: readonly ClusterNode[],
  { from, to, key, keysAtOnce }: Move & { readonly keysAtOnce: number },
): Promise<void> {
  const slot = await slotOf(from, key);
  await openSlot({ from, to }, slot);
  await moveRest(nodes, { from, to, slot, keysAtOnce });
}

async function halfMoveSlot(
  nodes: readonly ClusterNode[],
  { from, to, key }: Move,
  moves: (key: string) => boolean,
): Promise<HalfMove> {
  const slot = await slotOf(from, key);
  await openSlot({ from, to }, slot);
  const moved = (await keysIn(from, slot)).filter(moves);
  if (moved.length > 0) await migrate(from, to, moved);
  await tellRedis(from.server.url, 'CLUSTER', 'SETSLOT', slot, 'STABLE');
  return {
    slot,
    from,
    to,
    keys: async () => [await keysIn(from, slot), await keysIn(to, slot)],
    async finish() {
      const [{ port: owner }, { port: other }] = [from, to];
      const servers = {
        OWNER_HOST: '127.0.0.1',
        OWNER_PORT: `${owner}`,
        OTHER_HOST: '127.0.0.1',
        OTHER_PORT: `${other}`,
      };
      const masters = nodes.map(({ port }) => `127.0.0.1:${port}`).join(' ');
      const variables = { ...process.env, ...servers, MASTERS: masters, PREFIX: key };
      await promisify(execFile)('sh', ['-c', finishingCommands()], { env: variables });
    },
  };
}

/** Returns the commands of the guide that finish a move. */
function finishingCommands(): string {
  const page = readFileSync(new URL('../../../docs/guide/high-availability.md', import.meta.url), 'utf8');
  const block = page.match(/```sh\n([^`]*MIGRATING[^`]*)```/)?.[1];
  if (block === undefined) throw new Error('The guide has no commands that finish a move.');
  return block;
}

const slotOf = async ({ server }: ClusterNode, key: string): Promise<number> =>
  Number(await tellRedis(server.url, 'CLUSTER', 'KEYSLOT', key));

const keysIn = async ({ server }: ClusterNode, slot: number, limit = 1_000_000): Promise<readonly string[]> =>
  (await tellRedis(server.url, 'CLUSTER', 'GETKEYSINSLOT', slot, limit)) as readonly string[]; // names of keys

const migrate = (from: ClusterNode, to: ClusterNode, keys: readonly string[]): Promise<unknown> =>
  tellRedis(from.server.url, 'MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys);

async function openSlot({ from, to }: Omit<Move, 'key'>, slot: number): Promise<void> {
  await tellRedis(to.server.url, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await tellRedis(from.server.url, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
}

interface Rest extends Omit<Move, 'key'> {
  readonly slot: number;
  readonly keysAtOnce: number;
}

async function moveRest(nodes: readonly ClusterNode[], { from, to, slot, keysAtOnce }: Rest): Promise<void> {
  for (;;) {
    const keys = await keysIn(from, slot, keysAtOnce);
    if (keys.length === 0) break;
    await migrate(from, to, keys);
  }
  // The new owner first, so that no node redirects to one that does not own the slot yet.
  for (const { server } of [to, from, ...nodes])
    await tellRedis(server.url, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id).catch(() => undefined);
}
