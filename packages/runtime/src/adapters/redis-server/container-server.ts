import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@millrace/core';
import { withFileLock } from './file-lock.ts';
import { image, runProgram } from './find-redis.ts';
import type { ServerHome } from './server-home.ts';
import type { SharedServer } from './shared-server.ts';
import { joinUsers, probe } from './shared-server.ts';

const startTimeoutMs = 60_000;
/** Pulling an image may take a while. */
const pullTimeoutMs = 600_000;

/**
 * Attaches to the container of this folder, or starts it. Its data survive it in a volume; its port is on loopback
 * only.
 */
export async function useContainerServer(home: ServerHome): Promise<SharedServer> {
  const name = `millrace-${home.key}`;
  const use = joinUsers(home.users);
  try {
    const { url, started } = await withFileLock(home.turns, () => ensureRunning(name));
    return {
      url,
      started,
      usedByOthers: () => use.others() > 0,
      release: () =>
        withFileLock(home.turns, async () => {
          use.leave();
          if (use.others() === 0) await docker(['stop', name]);
        }),
    };
  } catch (error) {
    use.leave();
    throw error;
  }
}

async function ensureRunning(name: string): Promise<{ url: string; started: boolean }> {
  const found = await docker(['ps', '--all', '--quiet', '--filter', `label=millrace.redis=${name}`]);
  const running = found !== '' && (await docker(['inspect', '--format', '{{.State.Running}}', name])) === 'true';
  if (!running) {
    // A container that was killed with its engine blocks its successor; the data are in the volume.
    if (found !== '') await docker(['rm', '--force', name]);
    await docker(['run', '--detach', '--rm', '--init', '--name', name, ...placement(name), image, ...settings]);
  }
  const address = (await docker(['port', name, '6379/tcp'])).split('\n')[0] ?? '';
  const url = `redis://${address}`;
  const deadline = performance.now() + startTimeoutMs;
  while ((await probe(url)) !== 'ready') {
    if (performance.now() > deadline) {
      throw new RequestError(
        'REDIS_FAILED',
        `The container ${name} did not answer at ${url}. See: docker logs ${name}`,
      );
    }
    await sleep(100);
  }
  return { url, started: !running };
}

const placement = (name: string): string[] => [
  ...['--label', `millrace.redis=${name}`],
  ...['--publish', '127.0.0.1::6379', '--volume', `${name}:/data`],
];

const settings = [
  'redis-server',
  ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
  ...['--maxmemory-policy', 'noeviction'],
];

async function docker(args: readonly string[]): Promise<string> {
  const result = await runProgram('docker', args, pullTimeoutMs);
  if (result.type === 'done') return result.output;
  const reason = result.type === 'failed' ? result.output : 'the command docker is gone';
  throw new RequestError('REDIS_FAILED', `docker ${args[0]} failed: ${reason}`);
}
