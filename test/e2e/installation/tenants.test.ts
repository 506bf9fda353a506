import { beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';

/* On the machine itself, commands reach the runs of all tenants: by their ids with the tenant's part, which they print, too. */

const yaml = 'graph:\n  id: asking\n  nodes: [{ id: Ask, type: human, config: { description: What? } }]\n';

const api = openBeforeAll(serveApi);
let id: string;

beforeAll(async () => {
  id = `acme~${await (await api.tenant('acme', 'run', 'read')).start(yaml, { runId: 'r1' })}`;
});

const json = async (...args: readonly string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await command([...args, '--json'], api.redis.env);
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
