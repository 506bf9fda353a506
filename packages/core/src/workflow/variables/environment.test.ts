import { expect, it } from 'vitest';
import { readText } from '../../../test-support/workflow-vocabulary.ts';
import { createEnvironment, isOwnSetting, withoutSecrets } from './environment.ts';

it('replaces values with the name of a secret, and those used as one, by references', () => {
  const variables = { TOPIC: 'rain', API_KEY: 'sk-1', github_token: 'sk-2', PLAIN: { deep: 'sk-3' }, KEYBOARD: 'loud' };

  expect(withoutSecrets(variables, ['PLAIN'])).toEqual({
    TOPIC: 'rain',
    API_KEY: '${API_KEY}',
    github_token: '${github_token}',
    PLAIN: '${PLAIN}',
    KEYBOARD: 'loud',
  });
});

it('finds the variables that a workflow uses in secret fields, also through other variables', () => {
  const { secretVariables } = readText(
    `vars: {OUTER: "\${INNER}", INNER: x, TOPIC: rain}
graph:
  id: g
  nodes:
    - {id: A, type: agent, config: {provider: openai, name: m, role: "About \${TOPIC}", api_key: "\${OUTER}"}}
`,
  );

  expect(secretVariables).toEqual(['OUTER', 'INNER']);
});

it.each([
  'MILLRACE_SECRET',
  'MILLRACE_ANYTHING_NEW',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_ANYTHING_NEW',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'REDISCLI_AUTH',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
])('counts %s among the settings of processes, which workflows never get', (name) => {
  expect(isOwnSetting(name)).toBe(true);
  expect(createEnvironment({ [name]: 'value' }, [name]).find(name, true)).toEqual({ type: 'secret' });
});

it.each(['OPENAI_API_KEY', 'GITHUB_TOKEN', 'AWS_REGION', 'MY_REDIS_URL'])('leaves %s to workflows', (name) => {
  expect(isOwnSetting(name)).toBe(false);
});
