import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestError } from '@millrace/core';

/** Paths of a server that the commands of one folder share. */
export interface ServerHome {
  readonly root: string;
  /** Identifies the folder on this machine: the same for every command, and different from that of any other folder. */
  readonly key: string;
  readonly data: string;
  readonly users: string;
  readonly turns: string;
  readonly log: string;
  /** Contains the mark of the process that supervises the server. */
  readonly supervisor: string;
  /** Exists while the supervisor checks that no process uses the server any more. */
  readonly closing: string;
}

/** Creates `<directory>/redis`, for this user alone. */
export function serverHome(directory: string): ServerHome {
  mkdirSync(join(directory, 'redis', 'data'), { recursive: true, mode: 0o700 });
  const root = realpathSync(join(directory, 'redis'));
  chmodSync(root, 0o700);
  return {
    root,
    key: createHash('sha256').update(root).digest('hex').slice(0, 16),
    data: join(root, 'data'),
    users: join(root, 'users'),
    turns: join(root, 'turns'),
    log: join(root, 'redis.log'),
    supervisor: join(root, 'supervisor'),
    closing: join(root, 'closing'),
  };
}

/** macOS allows 103 bytes, Linux 107. */
const longestSocketPath = 103;

/**
 * Returns the path of the server's socket: in its folder, or in the system's folder for temporary files when that is
 * too long.
 */
export function socketOf({ root, key }: ServerHome): string {
  const near = join(root, 'redis.sock');
  // A question mark would start the options of a connection string.
  if (Buffer.byteLength(near) <= longestSocketPath && !near.includes('?')) return near;
  const owner = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `millrace-${owner}-${key}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== owner || (found.mode & 0o077) !== 0) {
    throw new RequestError('REDIS_FAILED', `${folder} is not a folder of this user alone. Remove it and try again.`);
  }
  return join(folder, 'redis.sock');
}
