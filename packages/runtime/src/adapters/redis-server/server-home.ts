import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { makeDirectorySync } from '../../files/make-directory.ts';

/** Paths of a server that the commands of one folder share. */
export interface ServerHome {
  readonly root: string;
  /** Identifies the folder on this machine: the same for every command, and different from that of any other folder. */
  readonly key: string;
  readonly data: string;
  readonly users: string;
  readonly turns: string;
  readonly log: string;
  /** Configuration of the server: its port and its password. */
  readonly config: string;
  /** Contains the mark of the process that supervises the server. */
  readonly supervisor: string;
  /** Exists while the supervisor checks that no process uses the server any more. */
  readonly closing: string;
}

/** Creates `<directory>/redis`, for this user alone. */
export function serverHome(directory: string): ServerHome {
  makeDirectorySync(join(directory, 'redis', 'data'), 0o700);
  const root = realpathSync(join(directory, 'redis'));
  chmodSync(root, 0o700);
  return {
    root,
    key: createHash('sha256').update(root).digest('hex').slice(0, 16),
    data: join(root, 'data'),
    users: join(root, 'users'),
    turns: join(root, 'turns'),
    log: join(root, 'redis.log'),
    config: join(root, 'redis.conf'),
    supervisor: join(root, 'supervisor'),
    closing: join(root, 'closing'),
  };
}

/** Address of a server: a port of the loopback interface, and a password, because every user of the machine reaches it. */
export interface ServerAddress {
  readonly port: number;
  readonly password: string;
}

/** Returns the URL of an address. It names the user, because redis-cli takes an absent one for a user without a name. */
export const urlOf = ({ port, password }: ServerAddress): string => `redis://default:${password}@127.0.0.1:${port}`;

/** Reads the address of the server of a home from its configuration; undefined before its first start. */
export function readAddress({ config }: Pick<ServerHome, 'config'>): ServerAddress | undefined {
  try {
    const text = readFileSync(config, 'utf8');
    const [, port, password] = /^port (\d+)\nrequirepass ([0-9a-f]+)$/m.exec(text) ?? [];
    return port === undefined || password === undefined ? undefined : { port: Number(port), password };
  } catch {
    return undefined;
  }
}

/** Returns whether a URL is that of the server of a folder, as `millrace redis-url` prints it, with or without its user. */
export function isServerOf(directory: string, url: string): boolean {
  const address = readAddress({ config: join(directory, 'redis', 'redis.conf') });
  return address !== undefined && urlOf(address) === url.replace('//:', '//default:');
}

/**
 * Returns the address with which the server of a home can be started, and writes it to the configuration, which its user
 * alone can read. The port stays the same from start to start, unless another program has taken it.
 */
export async function claimAddress(home: ServerHome): Promise<ServerAddress> {
  const known = readAddress(home);
  const port = (await freePort(known?.port ?? 0)) ?? (await freePort(0));
  if (port === undefined) throw new Error('no port of 127.0.0.1 is free');
  const address = { port, password: known?.password ?? randomBytes(32).toString('hex') };
  const lines = ['bind 127.0.0.1', `port ${address.port}`, `requirepass ${address.password}`, ''];
  writeFileSync(home.config, lines.join('\n'), { mode: 0o600 });
  return address;
}

/** Returns whether no process listens on a port of the loopback interface. */
export const isFree = async (port: number): Promise<boolean> => (await freePort(port)) !== undefined;

/** Returns the port if no process listens on it, and for 0 any free one. */
async function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' ? address?.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
