import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { useContainerServer } from './container-server.ts';
import { findServer } from './find-redis.ts';
import { serverHome } from './server-home.ts';

/*
 * A program in the place of `docker`, which starts the server of the container on this machine. test/containers runs the same with
 * an engine.
 */
const docker = (folder: string) => `#!/bin/sh
echo "$@" >> ${folder}/arguments
case $1 in
  run)
    while [ "$1" != sh ]; do
      case $1 in
        127.0.0.1:*) port=\${1#*:}; port=\${port%:*} ;;
        *.env) . "$1"; export REDIS_PASSWORD ;;
      esac
      shift
    done
    "$@" --port $port --dir ${folder} --daemonize yes > /dev/null
    ;;
  stop) exit 1 ;;
esac
`;
const entrypoint = '#!/bin/sh\nexec "$@"\n';

it('starts a Redis in a container with a password that no argument contains', async () => {
  const program = await findServer(() => undefined);
  expect(program).toBe('redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'millrace-docker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ docker: docker(folder), 'docker-entrypoint.sh': entrypoint })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());

  const { url } = await useContainerServer(serverHome(folder));

  const { password, port } = new URL(url);
  const unknown = new Redis(`redis://127.0.0.1:${port}`, { enableReadyCheck: false });
  unknown.on('error', () => undefined);
  const client = new Redis(url, { retryStrategy: () => null });
  client.on('error', () => undefined);
  onTestFinished(() => void client.shutdown().catch(() => undefined));
  expect(await unknown.ping().catch(String)).toContain('NOAUTH');
  expect(await client.ping()).toBe('PONG');
  expect(password).toMatch(/^[0-9a-f]{64}$/);
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).not.toContain(password);
  unknown.disconnect();
});
