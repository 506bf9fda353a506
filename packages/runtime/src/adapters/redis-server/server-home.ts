import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

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
    config: join(root, 'redis.conf'),
    supervisor: join(root, 'supervisor'),
    closing: join(root, 'closing'),
  };
}
