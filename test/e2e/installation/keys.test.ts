import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { command } from '../../support/processes/command.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { waitUntil } from '../../support/waiting.ts';

const cwd = directoryBeforeAll();
const { env } = newInstallation();

const keys = (...args: string[]) => command(['keys', ...args], env);

it('closes the API until there is a key, and then opens it to keys on any address', async () => {
  const server = await startServer(['serve', '--port', '0'], { cwd, env });
  const local = server.url;
  await server.says(/requires no key: every program/);
  expect((await ask(`${local}/v1/runs`)).status).toBe(200);

  const made = await keys('create', '--tenant', 'acme', '--scopes', 'read,run', '--expires', '1d', '--name', 'ci');
  const headers = { authorization: `Bearer ${made.stdout.trim()}` };
  await waitUntil(async () => (await ask(`${local}/v1/runs`)).status === 401);
  expect((await ask(`${local}/v1/runs`, undefined, headers)).status).toBe(200);

  const open = startMillrace(['serve', '--port', '0', '--host', '0.0.0.0'], { cwd, env });
  const [, port = ''] = await open.says(/HTTP API is at http:\/\/\S+:(\d+)/);
  expect((await ask(`http://127.0.0.1:${port}/v1/runs`)).status).toBe(401);
  expect((await ask(`http://127.0.0.1:${port}/v1/runs`, undefined, headers)).status).toBe(200);

  const listed = await keys('list');
  expect(listed.stdout).toMatch(/acme +read,run +ci +\S+ +valid until/);
  expect(listed.stdout).not.toContain(made.stdout.trim());
  const [{ id } = { id: '' }] = JSON.parse((await keys('list', '--json')).stdout) as { id: string }[];
  expect(await keys('revoke', id, '--tenant', 'acme')).toMatchObject({ code: 0 });
  await waitUntil(async () => (await ask(`${local}/v1/runs`, undefined, headers)).status === 401);
  expect((await ask(`${local}/v1/runs`)).status).toBe(401);

  for (const running of [server, open]) running.signal('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0 });
  expect((await open.ended).stderr).not.toContain('requires no key');
});

it('reports what is wrong with a key', async () => {
  expect(await keys('create', '--tenant', 'A~b')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('TENANT_INVALID'),
  });
  expect(await keys('create', '--scopes', 'root')).toMatchObject({ code: 2 });
  expect(await keys('revoke', 'aaaaaaaaaaaa')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('KEY_UNKNOWN'),
  });
});
