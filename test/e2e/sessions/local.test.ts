import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { millrace, millraceProgram, startServer } from '../../support/processes/millrace.ts';

/*
 * `--local` without any Redis: the PATH leads to no program, so nothing could be started or installed.
 */

const cwd = directoryBeforeAll({
  'greeting.yaml': 'graph:\n  id: greeting\n  nodes: [{ id: A, type: literal, config: { content: Hello. } }]\n',
});
const env = { PATH: cwd, MILLRACE_DIR: join(cwd, 'data') };
const up = openBeforeAll(() => startServer(['up', '--local'], { cwd, env }));

it('executes runs, and shows them, in one process without a Redis', async () => {
  const run = await millrace(['run', 'greeting.yaml', '--input', 'go'], { cwd, env: { ...env, MILLRACE_URL: up.url } });

  expect(run).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  expect(await ask(`${up.url}/v1/runs`)).toMatchObject({ body: { data: [{ status: 'completed' }] } });
  expect(await ask(`${up.url}/v1/me`)).toMatchObject({ body: { server: { storage: 'memory', workers: 1 } } });
});

it('says what it refuses, and the way to that', async () => {
  const [said] = await up.says(/Everything is in the memory.*Ctrl-C stops\./s);

  for (const word of [
    'schedules',
    'batches',
    'webhooks',
    'API keys',
    'more workers',
    '`millrace up`',
    `MILLRACE_URL=${up.url} `,
  ])
    expect(said).toContain(word);
});

it('refuses work that needs a Redis, over HTTP and on the command line, with a code and the cure', async () => {
  const hook = { url: 'http://127.0.0.1:9/' };
  const refused = { status: 409, body: { code: 'REDIS_MISSING', detail: expect.stringContaining('`millrace up`') } };

  expect(await ask(`${up.url}/v1/webhooks`, hook)).toMatchObject(refused);
  expect(await ask(`${up.url}/v1/runs`, { workflow: { yaml: 'graph: {}' }, webhook: hook })).toMatchObject(refused);
  const created = await millrace(['webhooks', 'create', hook.url], { cwd, env: { ...env, MILLRACE_URL: up.url } });
  expect(created).toMatchObject({ code: 5, stderr: expect.stringMatching(/need a Redis.*\[REDIS_MISSING\]/s) });
});

it('serves the next port when another process has the first one', async () => {
  const taken = new URL(up.url).port;
  const other = await startServer(['up', '--local'], { cwd, env });

  expect(Number(new URL(other.url).port)).toBeGreaterThan(Number(taken) - 1);
  expect(other.url).not.toBe(up.url);
  await other.stop();
});

it('serves no other machine, which would need a key', async () => {
  const { code, stderr } = await millrace(['up', '--local', '--host', '0.0.0.0'], { cwd, env });

  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('leave --host out') });
});

it('shows the demo without a Redis', async () => {
  const { code, stdout } = await millrace(['demo', '--local'], { cwd, env });

  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/in this process.*✔ completed/s) });
});

it('says how the dashboard is built in a clone that has none, and names no address of it', async () => {
  const from = dirname(dirname(millraceProgram));
  const clone = join(cwd, 'clone');
  for (const part of ['bin', 'dist/bundle', 'package.json'])
    cpSync(join(from, part), join(clone, part), { recursive: true });

  const server = await startServer(['up', '--local', '--port', '0'], {
    cwd,
    env: { ...env, MILLRACE_DIR: join(cwd, 'other') },
    build: join(clone, 'bin/millrace.js'),
  });

  expect((await server.says(/The dashboard .*/))[0]).toBe(
    'The dashboard is not built in this clone: stop with Ctrl-C, and `npm run setup` builds it.',
  );
  expect((await fetch(`${server.url}/ui/`)).status).toBe(503);
  expect(await ask(`${server.url}/openapi.json`)).toMatchObject({ status: 200 });
  await server.stop();
});
