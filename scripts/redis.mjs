import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { root } from './process.mjs';

/*
 * Looks for a Redis before anything is installed. The command looks again when it runs (`findRedis` of the runtime), with the same
 * ways; nothing of it can be loaded yet, so this file has Node built-ins only. A test compares the commands.
 */

/** Time limit of each program that is asked, in milliseconds. */
const askedMs = 1500;

/** Throws when there is no Redis for `npm run demo`, and none can be started or installed. */
export function checkRedisOfDemo(args) {
  if (args.includes('--local') || canStartRedis()) return;
  throw new Error(['no Redis is available. One of these helps:', ...waysToRedis('npm run demo -- --local')].join('\n'));
}

/** Throws when there is no Redis for `npm run dev`, neither in the environment nor on this machine. */
export function checkRedisOfDev(args) {
  const isNamed = process.env.REDIS_URL !== undefined || existsSync(`${root}.env`);
  if (isNamed || args.includes('--local') || canStartRedis()) return;
  throw new Error(['no Redis is available. One of these helps:', ...waysToRedis('npm run dev -- --local')].join('\n'));
}

/** Throws, with one sentence, when there is no Redis for the tests. */
export function checkRedisOfTests() {
  if (process.env.REDIS_URL !== undefined || canStartRedis()) return;
  throw new Error(
    `the tests need redis-server or valkey-server, 6.2 or newer, or a running Docker: ${installCommand(thisSystem())}`,
  );
}

/** Returns whether a server program is there, can be installed by the command, or runs in a container engine. */
function canStartRedis() {
  if (['redis-server', 'valkey-server'].some((program) => answer(program, ['--version']) !== undefined)) return true;
  if (process.getuid?.() === 0 && answer('apt-get', ['--version']) !== undefined) return true;
  return (answer('docker', ['version', '--format', '{{.Server.Version}}']) ?? '') !== '';
}

/** Returns what a program prints; undefined if it is missing, fails or does not answer. */
function answer(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', timeout: askedMs });
  return status === 0 ? stdout.trim() : undefined;
}

/** Returns the ways to a Redis with their commands, and the way without one. */
function waysToRedis(local) {
  return [
    `  ${installCommand(thisSystem())}`,
    '    and the same command again: Millrace starts the server itself',
    '  a Docker that is running',
    `  ${local}`,
    '    without Redis: everything is in memory, and ends with the process',
  ];
}

/** Returns this machine as `installCommand` takes it. */
const thisSystem = () => ({
  platform: process.platform,
  osRelease: existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '',
});

/** Returns the command that installs a server on a system. */
export function installCommand({ platform, osRelease }) {
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
