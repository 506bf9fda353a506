import { existsSync, readFileSync } from 'node:fs';

/** A system on which a server can be installed. */
export interface System {
  readonly platform: NodeJS.Platform;
  /** Text of `/etc/os-release`; empty where there is none. */
  readonly osRelease: string;
}

/** Image of the server that is started in a container. */
export const image = 'redis:7-alpine';

/** Returns the ways to a Redis on this system, each with its command, and the ways without one. */
export const waysToRedis = (): string =>
  [
    'One of these helps:',
    `  ${installCommand(thisSystem())}`,
    '    and the same command again: Millrace starts the server itself',
    `  docker run -d -p 127.0.0.1:6379:6379 ${image} --requirepass PASSWORD`,
    '    and REDIS_URL=redis://:PASSWORD@127.0.0.1:6379 before the command, as for',
    '    any Redis or Valkey, 6.2 or newer',
    '  millrace up --local',
    '    without Redis; nothing survives the process. Also: run FILE --local,',
    '    demo --local',
  ].join('\n');

const thisSystem = (): System => ({
  platform: process.platform,
  osRelease: existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '',
});

/** Returns the command that installs a server on a system. */
export function installCommand({ platform, osRelease }: System): string {
  if (platform === 'darwin') return 'brew install redis';
  if (platform === 'win32') return 'wsl --install, and in its terminal: sudo apt-get install redis-server';
  const [, ids = ''] = /^ID_LIKE=(.*)$/m.exec(osRelease) ?? [];
  const [, id = ''] = /^ID=(.*)$/m.exec(osRelease) ?? [];
  const kinds = `${id} ${ids}`;
  if (/fedora|rhel|centos/.test(kinds)) return 'sudo dnf install valkey';
  if (/alpine/.test(kinds)) return 'sudo apk add redis';
  if (/arch/.test(kinds)) return 'sudo pacman -S valkey';
  if (/suse/.test(kinds)) return 'sudo zypper install redis';
  return 'sudo apt-get install redis-server';
}
