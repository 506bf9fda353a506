import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import { runProgram } from './find-redis.ts';
import type { ServerAddress, ServerHome } from './server-home.ts';
import { claimAddress, readAddress, urlOf } from './server-home.ts';
import type { SharedServer } from './shared-server.ts';
import { probe, shareServer } from './shared-server.ts';
import { image } from './ways-to-redis.ts';

const startTimeoutMs = 60_000;
/** Pulling an image may take a while. */
const pullTimeoutMs = 600_000;

/**
 * Attaches to the container of this folder, or starts it. Its data survive it in a volume; its port is on loopback only, and
 * requires a password.
 */
export function useContainerServer(home: ServerHome): Promise<SharedServer> {
  const name = `millrace-${home.key}`;
  return shareServer(home, {
    ensureRunning: () => ensureRunning(home, name),
    stop: () => docker(['stop', name]),
  });
}

async function ensureRunning(home: ServerHome, name: string): Promise<{ url: string; started: boolean }> {
  const found = await docker(['ps', '--all', '--quiet', '--filter', `label=millrace.redis=${name}`]);
  const running = found !== '' && (await docker(['inspect', '--format', '{{.State.Running}}', name])) === 'true';
  // Without its address, a running container cannot be used any more.
  const known = running ? readAddress(home) : undefined;
  // A container that was killed with its engine blocks its successor; the data are in the volume.
  if (found !== '' && known === undefined) await docker(['rm', '--force', name]);
  const address = known ?? (await start(home, name));
  const url = urlOf(address);
  const deadline = performance.now() + startTimeoutMs;
  while ((await probe(url)) !== 'ready') {
    if (performance.now() > deadline) {
      throw new RequestError(
        'REDIS_FAILED',
        `The container ${name} did not answer at port ${address.port}. See: docker logs ${name}`,
      );
    }
    await sleep(100);
  }
  return { url, started: known === undefined };
}

async function start(home: ServerHome, name: string): Promise<ServerAddress> {
  const address = await claimAddress(home);
  const { port, password } = address;
  const placement = [
    ...['--label', `millrace.redis=${name}`],
    ...['--publish', `127.0.0.1:${port}:6379`, '--volume', `${name}:/data`],
  ];
  const variables = join(home.root, 'container.env');
  writeFileSync(variables, `REDIS_PASSWORD=${password}\n`, { mode: 0o600 });
  const options = ['--detach', '--rm', '--init', '--name', name, '--env-file', variables, ...placement];
  await docker(['run', ...options, image, 'sh', '-c', program, 'redis', ...settings]);
  return address;
}

/** Starts the server with the password from the environment: every user of the machine can read arguments. */
const program = `exec docker-entrypoint.sh redis-server "$@" - <<CONFIG
requirepass $REDIS_PASSWORD
CONFIG`;

const settings = [
  ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
  ...['--maxmemory-policy', 'noeviction'],
];

async function docker(args: readonly string[]): Promise<string> {
  const result = await runProgram('docker', args, pullTimeoutMs);
  if (result.type === 'done') return result.output;
  const reason = result.type === 'failed' ? result.output : 'the command docker is gone';
  throw new RequestError('REDIS_FAILED', `docker ${args[0]} failed: ${reason}`);
}
