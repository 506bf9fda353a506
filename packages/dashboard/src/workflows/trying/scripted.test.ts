import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { asksRealModels, withScriptedModels } from './scripted.ts';

const text = `# kept
graph:
  prices: { gpt: { input: 1, output: 2 } }
  nodes:
    - id: A
      type: agent
      config:
        provider: openai
        name: gpt
        api_key: \${KEY}
        base_url: http://x
        params: { temperature: 1 }
  memory:
    - name: m
      type: simple
      config:
        embedding:
          provider: openai
          model: e
          api_key: \${KEY}
`;

it('lets scripts answer in place of models, and compares words in place of asking for embeddings', () => {
  expect(withScriptedModels(text, '')).toBe(`# kept
graph:
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: gpt
  memory:
    - name: m
      type: simple
      config:
        embedding:
          provider: local
`);
});

it('lets models answer with given words, whatever is in them', () => {
  const reply = 'ACCEPT: "yes"\n# no comment';
  expect(parse(withScriptedModels(text, reply))).toMatchObject({
    graph: { nodes: [{ config: { params: { default: reply } } }] },
  });
});

it('knows whether a text asks models that are not scripted', () => {
  expect(asksRealModels(text)).toBe(true);
  expect(asksRealModels(withScriptedModels(text, ''))).toBe(false);
  expect(asksRealModels('graph: {}')).toBe(false);
});
