import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace } from '../../support/processes/millrace.ts';
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
  'models.yaml': `families: { house: { match: '^house-', vendor: openai, temperature: no } }
models: { house-large: { retires: 2020-01-01, replacement: gpt-6-sol, price: { input: 3, output: 4 } } }
`,
});

const call = (...args: string[]) =>
  millrace(args, { cwd, env: { REDIS_URL: redis.url, MILLRACE_MODELS: 'models.yaml' } });

it('shows what is known of a model, the operator’s own facts first', async () => {
  const own = JSON.parse((await call('models', 'house-large', '--json')).stdout);
  const shipped = JSON.parse((await call('models', 'gpt-6-sol', '--json')).stdout);
  const all = JSON.parse((await call('models', '--json')).stdout);

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
