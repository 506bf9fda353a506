import { beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';

/* On the machine itself, commands reach the runs of all tenants: by their ids with the tenant's part, which they print, too. */

const yaml = 'graph:\n  id: asking\n  nodes: [{ id: Ask, type: human, config: { description: What? } }]\n';

const api = openBeforeAll(serveApi);
let id: string;

beforeAll(async () => {
  const key = await api.keyOf('acme', 'run', 'read');
  const { body } = await api.ask(key, '/v1/runs', { workflow: { yaml }, runId: 'r1' }, { prefer: 'wait=20' });
  id = `acme~${body['runId']}`;
});

const json = async (...args: readonly string[]): Promise<unknown> => {
  const env = { REDIS_URL: api.redis.url, MILLRACE_PREFIX: api.redis.prefix.slice(1, -1) };
  const { code, stdout, stderr } = await command([...args, '--json'], env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

it('local commands list, control and answer runs of a tenant', async () => {
  expect(await json('runs', '--tenant', 'acme')).toMatchObject([{ runId: id, status: 'waiting' }]);
  expect(await json('runs')).toEqual([]);
  expect(await json('pause', id)).toEqual({ runId: id, status: 'paused' });
  expect(await json('resume', id)).toEqual({ runId: id, status: 'waiting' });
  expect(await json('answer', id, 'This.')).toEqual({ runId: id, task: `${id}.a1` });
  expect(await json('artifacts', id)).toEqual([]);
  expect(await json('rm', id)).toEqual({ runId: id });
});
