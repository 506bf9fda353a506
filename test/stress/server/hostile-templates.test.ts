import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(serveApi);
const evil = openBeforeAll(() => api.tenant('evil', 'admin'));
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));

/** A workflow whose first edge, or node, renders a template. */
const onEdge = (template: string) => `graph:
  id: edge
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - { id: Target, type: passthrough, config: {} }
  edges: [{ from: Source, to: Target, processor: { type: template, config: { template: ${JSON.stringify(template)} } } }]
`;
const inNode = (text: string) => `graph:
  id: node
  nodes: [{ id: Text, type: template, config: { text: ${JSON.stringify(text)} } }]
`;

const validate = (key: string, yaml: string) => api.ask(key, '/v1/workflows/validate', { yaml });

async function run(key: string, yaml: string, input = 'go') {
  const started = await api.ask(key, '/v1/runs', { workflow: { yaml }, input });
  return (await api.ask(key, `/v1/runs/${started.body['runId']}?wait=30s`)).body;
}

const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

/** Expects that the templates of another tenant are read and rendered as ever. */
async function expectOthersUnaffected(): Promise<void> {
  expect((await validate(acme.key, onEdge('{{ content | upper }}'))).body).toMatchObject({ diagnostics: [] });
  expect(await run(acme.key, onEdge('{{ content | upper }}'))).toMatchObject({
    status: 'completed',
    output: 'GO',
    warnings: { count: 0 },
  });
}

const bomb = '{{ ("x" * 4200000000) | length }}';

describe('a template of one tenant', () => {
  it.each([
    ['as it is', onEdge(bomb)],
    ['with escapes of YAML', onEdge(bomb).replaceAll('{', '{').replace('"{{', '"\\x7b\\u007b')],
    ['in a variable', `vars: {T: ${JSON.stringify(bomb)}}\n${onEdge('${T}')}`],
  ])('that cannot be read is refused and harms no other one: %s', async (_how, yaml) => {
    const { body } = await validate(evil.key, yaml);

    expect(body['diagnostics']).toMatchObject([{ code: 'E_TEMPLATE_LIMIT', severity: 'error' }]);
    await expectOthersUnaffected();
  });

  it.each([
    ['that computes too much memory', inNode(`{% set n = 4200000000 %}{{ ("x" * n) | length }}`), 'go'],
    [
      'that takes too long',
      inNode('{% set s = "x" * 50000000 %}{% for i in range(600) %}{% set y = s | upper %}{% endfor %}'),
      'go',
    ],
    [
      'that nests a list 20,000 deep',
      inNode('{% set ns = namespace(l=[]) %}{% for i in range(20000) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}'),
      'go',
    ],
    ['on an edge, with values that are nested too deeply', onEdge('{{ a | length }}'), deep(5000)],
  ])('%s fails its run with a code and harms no other one', async (_what, yaml, input) => {
    expect(await run(evil.key, yaml, input)).toMatchObject({ status: 'failed', error: { code: 'TEMPLATE_LIMIT' } });
    await expectOthersUnaffected();
  });

  it('renders beside deep fields that it does not name', async () => {
    expect(await run(evil.key, onEdge('fixed text {{ content | length }}'), deep(5000))).toMatchObject({
      status: 'completed',
      output: 'fixed text 10006',
    });
  });
});

it('lets a message pass after an error of the author, with a warning of the run', async () => {
  const ended = await run(acme.key, onEdge('{{ unknown_name }}'));

  expect(ended).toMatchObject({
    status: 'completed',
    output: 'go',
    warnings: {
      count: 1,
      latest: [
        {
          activation: 'a1',
          node: 'Source',
          message: expect.stringMatching(
            /^the processor of the edge to "Target" failed: The template cannot be rendered/,
          ),
        },
      ],
    },
  });
});
