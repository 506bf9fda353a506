import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { commandsOf } from '../../support/http/commands.ts';

const greeting = 'graph: { id: greeting, nodes: [{ id: A, type: literal, config: { content: "Hello ${NAME}" } }] }';
const asks = 'graph: { id: asks, nodes: [{ id: H, type: human, config: { description: Is it good? } }] }';

const api = openBeforeAll(serveApi);
const cwd = directoryBeforeAll({
  'greeting.yaml': greeting,
  'asks.yaml': asks,
});
const operator = openBeforeAll(() => api.tenant('default', 'admin'));
const at = (name: string): string => join(cwd, name);

const { remote, local, both } = commandsOf(api, operator, cwd, { NAME: 'you' });

it('sets limits, locally and over HTTP', async () => {
  expect((await remote('limits', 'set', '20', '--tenant', 'acme')).stderr).toContain('Tenant acme: 20 activations');
  expect((await local('limits', 'set', '2', '--tenant', 'acme', '--workflow', 'a b')).code).toBe(0);
  expect((await both('limits', 'list', '--json')).stdout).toContain('"a b"');
  expect((await remote('limits', 'lift', '--tenant', 'acme', '--workflow', 'a b', '--json')).stdout).toBe(
    '{"lifted":true}\n',
  );
  expect((await local('limits', 'lift', '--tenant', 'acme')).stderr).toContain('the limit is lifted');
  expect((await both('limits', 'list', '--json')).stdout).toBe('[]\n');
  expect((await both('limits', 'set', '2', '--tenant', 'A~b')).code).toBe(2);
});

it('shows the installation, pauses a queue, and archives a workflow', async () => {
  const shown = await local('operations');
  expect(shown.stdout).toContain('Nothing needs attention.');
  expect(shown.stdout).toMatch(/^default +open +0 +0 +0 +1$/m);
  expect(JSON.parse((await remote('operations', '--json')).stdout)).toMatchObject({ alerts: expect.any(Array) });
  expect((await remote('queues', 'pause', 'default')).stderr).toContain('Queue default is paused.');
  expect((await local('queues', 'list')).stdout).toMatch(/default +paused/);
  expect(JSON.parse((await local('queues', 'resume', 'default', '--json')).stdout)).toMatchObject({ paused: false });
  expect((await remote('workflows', 'push', at('greeting.yaml'), '--name', 'old')).code).toBe(0);
  expect((await remote('workflows', 'archive', 'old')).stderr).toContain('old is archived');
  expect((await remote('run', 'old', '--detach')).stderr).toContain('WORKFLOW_ARCHIVED');
});

it('changes what a schedule starts, as a whole', async () => {
  await remote('schedule', 'create', 'whole', at('greeting.yaml'), '--cron', '@daily', '--var', 'NAME=Eve');
  const flags = [
    '--run',
    at('greeting.yaml'),
    '--var',
    'NAME=Ann',
    '--tag',
    'x',
    '--budget-usd',
    '1',
    '--input',
    'Rain',
  ];
  const changed = await remote('schedule', 'change', 'whole', ...flags, '--json');
  expect(JSON.parse(changed.stdout).run).toMatchObject({
    vars: { NAME: 'Ann' },
    tags: ['x'],
    budget: { usd: 1 },
    input: 'Rain',
  });
  const partial = await local('schedule', 'change', 'whole', '--tag', 'y');
  expect([partial.code, partial.stderr]).toEqual([2, expect.stringContaining('--run')]);
  await remote('schedule', 'rm', 'whole');
});

it('claims a question, which nobody else answers until it is released', async () => {
  const { runId } = JSON.parse((await remote('run', at('asks.yaml'), '--detach', '--json')).stdout);
  await operator.ask(`/v1/runs/${runId}?wait=30s&until=idle`);
  const task = `${runId}.a1`;

  expect((await remote('claim', task, '--as', 'ann', '--for', '10m')).stderr).toContain('ann has claimed');
  expect((await remote('answer', task, 'Yes.')).stderr).toContain('TASK_CLAIMED');
  const released = await local('release', task, '--as', 'ann', '--json');
  expect(JSON.parse(released.stdout)).toMatchObject({ status: 'open' });
  expect((await remote('answer', task, 'Yes.')).code).toBe(0);
});
