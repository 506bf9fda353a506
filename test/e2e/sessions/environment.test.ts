import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { startRedis } from '../../support/redis/redis.ts';

const canary = 'canary-0123456789';
let before = 0;

const model = openBeforeAll(() => startFakeProvider());
const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll({ 'rows.csv': 'input\na\n' });

function call(role: string, ...args: string[]) {
  const config = `{provider: openai, name: "\${MODEL_NAME}", base_url: '${model.at('ok')}', api_key: "\${OPENAI_API_KEY}", role: ${JSON.stringify(role)}}`;
  writeFileSync(join(cwd, 'flow.yaml'), `graph:\n  id: g\n  nodes: [{id: A, type: agent, config: ${config}}]\n`);
  before = model.requests.length;
  const env = { OPENAI_API_KEY: canary, MODEL_NAME: 'model-of-the-environment', REDIS_URL: redis.url };
  return millrace(args, { cwd, env });
}

/** Bodies of the requests of the last command. */
const asked = () => model.requests.slice(before).map(({ body }) => JSON.stringify(body));

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
  expect(asked()).toEqual([]);
});

it('runs with other variables, names them, and sends the secret in its field only', async () => {
  const { code, stderr } = await call('Be brief.', 'run', 'flow.yaml', '--local', '--input', 'go', '--json');

  expect(code).toBe(0);
  expect(stderr).toContain('variables of the environment in the texts of the workflow: MODEL_NAME\n');
  expect(asked().join()).toContain('model-of-the-environment');
  expect(asked().join()).not.toContain(canary);
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
  expect(asked().join()).toContain(canary);
});
