import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonServer } from '../../support/http/json-server.ts';
import { startJsonServer } from '../../support/http/json-server.ts';
import { millrace } from '../../support/processes/millrace.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';

const canary = 'canary-0123456789';
let model: JsonServer;
let redis: RedisServer;
let cwd = '';
let asked: string[] = [];

beforeAll(async () => {
  model = await startJsonServer(({ body }) => {
    asked.push(JSON.stringify(body));
    return { body: { choices: [{ finish_reason: 'stop', message: { content: 'done' } }] } };
  });
  redis = await startRedis();
  cwd = mkdtempSync(join(tmpdir(), 'millrace-environment-'));
  writeFileSync(join(cwd, 'rows.csv'), 'input\na\n');
});
afterAll(async () => {
  await Promise.all([model.close(), redis.stop()]);
  rmSync(cwd, { recursive: true });
});

function call(role: string, ...args: string[]) {
  const config = `{provider: openai, name: "\${MODEL_NAME}", base_url: '${model.url}', api_key: "\${OPENAI_API_KEY}", role: ${JSON.stringify(role)}}`;
  writeFileSync(join(cwd, 'flow.yaml'), `graph:\n  id: g\n  nodes: [{id: A, type: agent, config: ${config}}]\n`);
  asked = [];
  const env = { OPENAI_API_KEY: canary, MODEL_NAME: 'model-of-the-environment', REDIS_URL: redis.url };
  return millrace(args, { cwd, env });
}

it.each([
  ['run', 'flow.yaml', '--local', '--input', 'go', '--json'],
  ['run', 'flow.yaml', '--input', 'go', '--detach'],
  ['check', 'flow.yaml', '--json'],
  ['batch', 'start', 'flow.yaml', 'rows.csv'],
  ['schedule', 'create', 'nightly', 'flow.yaml', '--cron', '@daily'],
])('refuses a secret of the environment in a text: %s %s %s', async (...args) => {
  const { code, stdout, stderr } = await call('Say ${OPENAI_API_KEY}.', ...args);

  expect(code).toBe(2);
  expect(stdout + stderr).toContain('E_VARIABLE_SECRET');
  expect(stdout + stderr).not.toContain(canary);
  expect(asked).toEqual([]);
});

it('runs with other variables, names them, and sends the secret in its field only', async () => {
  const { code, stderr } = await call('Be brief.', 'run', 'flow.yaml', '--local', '--input', 'go', '--json');

  expect(code).toBe(0);
  expect(stderr).toContain('variables of the environment in the texts of the workflow: MODEL_NAME\n');
  expect(asked.join()).toContain('model-of-the-environment');
  expect(asked.join()).not.toContain(canary);
});

it('lets --allow-env put a secret into a text', async () => {
  const { code } = await call(
    'Say ${OPENAI_API_KEY}.',
    'run',
    'flow.yaml',
    '--local',
    '--input',
    'go',
    '--allow-env',
    'OPENAI_API_KEY',
  );

  expect(code).toBe(0);
  expect(asked.join()).toContain(canary);
});
