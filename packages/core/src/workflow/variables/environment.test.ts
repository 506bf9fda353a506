import { expect, it } from 'vitest';
import { readText } from '../../../test-support/workflow-vocabulary.ts';
import { withoutSecrets } from './environment.ts';

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
