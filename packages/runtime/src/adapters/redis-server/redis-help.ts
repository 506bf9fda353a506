import { image } from './program/container-engine.ts';

/** Returns three ways to a Redis, each with its command, that work on this system without being root. */
export function redisHelp(platform: NodeJS.Platform = process.platform): string {
  const install = platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
  const container = `docker run -d -p 127.0.0.1:6379:6379 ${image}`;
  const width = Math.max(install.length, container.length);
  return [
    'One of these helps:',
    `  ${install.padEnd(width)}   and the same command again: Millrace starts the server itself`,
    `  ${container.padEnd(width)}   and REDIS_URL=redis://127.0.0.1:6379 before the command, as for any Redis or Valkey, 6.2 or newer`,
    `  ${'millrace run FILE --local'.padEnd(width)}   without Redis: nothing survives the process`,
  ].join('\n');
}
