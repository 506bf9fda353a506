import { RequestError } from '@millrace/core';
import type { RedisOptions } from 'ioredis';

/** Address of a server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns whether two addresses are the same; an unknown one is like no other. */
export const isSame = (one: ServerAddress | undefined, other: ServerAddress | undefined): boolean =>
  one !== undefined && one.host === other?.host && one.port === other.port;

/** Credentials, database and encryption of connections. */
export type ConnectionSettings = Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'>;

/** Place of a Redis whose master changes: the servers to ask for its address. */
export type FailoverLocation =
  | {
      readonly type: 'sentinel';
      readonly servers: readonly ServerAddress[];
      /** Name of the master in the configuration of the sentinels. */
      readonly master: string;
      readonly settings: ConnectionSettings;
      /** Settings of connections to the sentinels, which have credentials of their own. */
      readonly askingSettings: ConnectionSettings;
    }
  | {
      readonly type: 'cluster';
      readonly servers: readonly ServerAddress[];
      readonly settings: ConnectionSettings;
      readonly askingSettings: ConnectionSettings;
    };

const pattern =
  /^(?<scheme>rediss?)\+(?<type>sentinel|cluster):\/\/(?:(?<user>[^@/?#]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const defaultPorts = { sentinel: 26_379, cluster: 6379 } as const;

/** Returns whether a URL names the sentinels of a Redis, or the nodes of a cluster. */
export const isFailoverUrl = (url: string): boolean => /^rediss?\+(sentinel|cluster):/.test(url);

/**
 * Reads `redis+sentinel://user:password@h1:26379,h2:26379/mymaster` and `redis+cluster://h1:6379,h2:6379`, encrypted
 * with `rediss+` or `?tls=1`. Throws RequestError for any other text.
 */
export function readFailoverUrl(url: string): FailoverLocation {
  const { scheme, type, user = '', hosts = '', path = '', query = '' } = pattern.exec(url)?.groups ?? {};
  if (scheme === undefined) throw unusable('does not name servers, as in redis+sentinel://h1:26379,h2:26379/mymaster');
  const kind = type === 'sentinel' ? 'sentinel' : 'cluster';
  const options = new URLSearchParams(query);
  const tls = scheme === 'rediss' || options.get('tls') === '1' ? { tls: {} } : {};
  const settings = { ...credentials(user), ...tls };
  const servers = hosts.split(',').map((host) => addressOf(host, defaultPorts[kind]));
  if (kind === 'cluster') {
    if (path !== '' && path !== '0') throw unusable('names a database, but a cluster has only database 0');
    return { type: kind, servers, settings, askingSettings: settings };
  }
  const master = decodeURIComponent(path);
  if (master === '') throw unusable('does not name the master after its sentinels, as in …:26379/mymaster');
  const db = options.get('db');
  return {
    type: kind,
    servers,
    master,
    settings: { ...settings, ...(db === null ? {} : { db: Number(db) }) },
    askingSettings: { ...sentinelCredentials(options), ...tls },
  };
}

function addressOf(text: string, defaultPort: number): ServerAddress {
  const written = `redis://${text.trim()}`;
  const parsed = URL.canParse(written) ? new URL(written) : undefined;
  if (parsed === undefined || parsed.hostname === '')
    throw unusable(`names "${text}", which is no address of a server`);
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  return { host, port: parsed.port === '' ? defaultPort : Number(parsed.port) };
}

function credentials(user: string): ConnectionSettings {
  if (user === '') return {};
  const colon = user.indexOf(':');
  const [name, password] = colon < 0 ? [user, ''] : [user.slice(0, colon), user.slice(colon + 1)];
  return {
    ...(name === '' ? {} : { username: decodeURIComponent(name) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function sentinelCredentials(options: URLSearchParams): ConnectionSettings {
  const [username, password] = [options.get('sentinel_user'), options.get('sentinel_password')];
  return { ...(username === null ? {} : { username }), ...(password === null ? {} : { password }) };
}

/** The URL itself is not repeated, as it may contain a password. */
const unusable = (problem: string): RequestError => new RequestError('REDIS_URL', `The URL of Redis ${problem}.`);
