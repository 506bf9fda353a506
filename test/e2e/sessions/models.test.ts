import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { startRedis } from '../../support/redis/redis.ts';

const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll({
  'flow.yaml': `graph:
  id: flow
  nodes:
    - id: A
      type: agent
      config:
        provider: openai
        name: house-large
        params: { temperature: 1 }
        tooling: [{ type: function, config: { tools: [{ name: web_search }] } }]
`,
  'any.yaml': `vars: { MODEL: house-large }
graph: { id: any, nodes: [{ id: A, type: agent, config: { provider: openai, name: '\${MODEL}' } }] }
`,
  'more.yaml': 'models: { house-new: { price: { input: 1, output: 2 } } }',
  'models.yaml': `families: { house: { match: '^house-', vendor: openai, temperature: no } }
models: { house-large: { retires: 2020-01-01, replacement: gpt-6-sol, price: { input: 3, output: 4 } } }
`,
});

const list = fileURLToPath(new URL('../../fixtures/models-dev.json', import.meta.url));

const provider = openBeforeAll(startFakeProvider);

const env = () => ({ REDIS_URL: redis.url, MILLRACE_MODELS: 'models.yaml' });
const call = (...args: string[]) => millrace(args, { cwd, env: env() });

it('shows what is known of a model, the operator’s own facts first', async () => {
  const own = JSON.parse((await call('models', 'house-large', '--json')).stdout);
  const shipped = JSON.parse((await call('models', 'gpt-6-sol', '--json')).stdout);
  const all = JSON.parse((await call('models', '--json')).stdout);

  const asked = ['--provider', 'openai', '--base-url', 'http://127.0.0.1:1/v1'];
  const elsewhere = JSON.parse((await call('models', 'claude-haiku-4-5', '--json', ...asked)).stdout);

  expect(elsewhere).toMatchObject({ provider: 'openai', profile: { ownHost: false } });
  expect(own).toMatchObject({ price: { rates: 'operator' }, profile: { known: true, temperature: 'no' } });
  expect(shipped).toMatchObject({ added: { protocol: 'responses', store: false }, profile: { ownHost: true } });
  expect(own.charged).toMatchObject({ input: 3, cached_input: 3, cache_write: 3.75, output: 4, image_output: 4 });
  expect(all.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['gpt-6-sol', 'house-large']));
});

it('warns of models, params and functions when a workflow is checked, published and diagnosed', async () => {
  const codes = ['W_MODEL_RETIRED', 'W_PARAM_REFUSED', 'W_TOOL_UNAVAILABLE'];
  const check = await call('check', 'flow.yaml');
  const push = await call('workflows', 'push', 'flow.yaml');
  const doctor = await call('doctor', '--models');

  expect([check.code, push.code, doctor.code]).toEqual([0, 0, 0]);
  for (const code of codes) {
    expect(check.stdout).toContain(code);
    expect(push.stderr).toContain(code);
    expect(doctor.stdout).toContain(`[${code}]`);
  }
  expect(doctor.stdout).toContain('flow: house-large (known, price: operator, retires 2020-01-01)');
});

it('updates the table of the installation from a list, and refuses drops that nobody has accepted', async () => {
  const unconfirmed = await call('models', 'update', '--from', 'more.yaml');
  const refused = await call('models', 'update', '--from', list, '--yes');
  const stored = await call('models', 'update', '--from', list, '--yes', '--accept-drops', '--json');
  const shown = JSON.parse((await call('models', 'deepseek-reasoner', '--json')).stdout);
  const again = await call('models', 'update', '--from', list);

  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(unconfirmed.stdout).toMatch(/house-new +new +price\.input 1, price\.output 2/);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('MODEL_LIST_DROPS') });
  expect(refused.stdout).toMatch(/deepseek-reasoner +changed \(drop\) .*price\.input 0\.28 → 0\.14/);
  expect(JSON.parse(stored.stdout)).toMatchObject({ stored: true, leftOut: [] });
  expect(shown.price).toMatchObject({ price: { input: 0.14, output: 0.28 }, rates: expect.stringMatching(/^list 20/) });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing changes') });
});

it('diagnoses the models of schedules and unfinished runs, and asks every provider whose key is set', async () => {
  const run = await call('run', 'any.yaml', '--detach', '--input', 'hi', '--var', 'MODEL=house-running');
  await call('schedule', 'create', 'nightly', 'any.yaml', '--cron', '0 3 * * *', '--var', 'MODEL=house-nightly');
  const keys = {
    OPENAI_API_KEY: 'sk-of-the-test',
    OPENAI_BASE_URL: provider.at('openai'),
    ANTHROPIC_API_KEY: 'sk-of-the-test',
    ANTHROPIC_BASE_URL: `${provider.url}/nothing-here`,
  };
  const doctor = await millrace(['doctor', '--ask'], { cwd, env: { ...env(), ...keys } });

  expect(run).toMatchObject({ code: 0 });
  expect(doctor.stdout).toContain(`run ${run.stdout.trim()}: house-running (known`);
  expect(doctor.stdout).toContain('schedule nightly: house-nightly (known');
  expect(doctor.stderr).toMatch(/asking openai for a reply of house-large, for at most \$0\.00/);
  expect(doctor.stdout).toMatch(/✔ openai +house-large answers \(\d+ ms, \d+ tokens, \$0\.00/);
  expect(doctor.stdout).toMatch(/✖ anthropic +claude-\S+: .*\[MODEL_/);
  expect(doctor.stdout).toMatch(/! openai +house-nightly is not in the list of models that the key may use/);
  expect(doctor.stdout).not.toContain('in the list of models that the key may use: gpt');
  expect(doctor.code).toBe(1);
  expect(`${doctor.stdout}${doctor.stderr}`).not.toContain('sk-of-the-test');
});
