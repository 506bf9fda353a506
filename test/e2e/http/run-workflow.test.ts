import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'run', 'read'));

const yaml = `vars: {TOPIC: rain, HIDDEN: none}
graph:
  id: poem
  nodes:
    # The only one.
    - id: Write
      type: agent
      config:
        provider: scripted
        name: m
        role: About \${TOPIC}.
        api_key: \${HIDDEN}
        params: {default: {text: A poem.}}
`;
const hash = createHash('sha256').update(yaml).digest('hex').slice(0, 32);
const secret = 'canary-4711';

describe('the workflow of a run', () => {
  it('is the text with which the run was started, with comments and the lines of its nodes', async () => {
    const { body } = await acme.ask('/v1/runs', { workflow: { yaml }, vars: { TOPIC: 'snow' } });

    const found = await acme.ask(`/v1/runs/${String(body['runId'])}/workflow`);

    expect(found.status).toBe(200);
    expect(found.body).toEqual({
      name: 'poem',
      hash,
      yaml,
      vars: { TOPIC: 'snow' },
      lines: { Write: 6 },
      warnings: [],
      current: null,
    });
  });

  it('has warnings, which the response to the start shows at once', async () => {
    const config = '{provider: anthropic, name: claude-sonnet-5-5, params: {temperature: 1}}';
    const warned = `graph:
  id: warned
  nodes: [{id: Ask, type: human, config: {}}, {id: Tell, type: agent, config: ${config}}]
  edges: [{from: Ask, to: Tell}]
`;
    const started = await acme.ask('/v1/runs', { workflow: { yaml: warned } });
    const found = await acme.ask(`/v1/runs/${String(started.body['runId'])}/workflow`);
    const blind = await api.ask(await api.keyOf('acme', 'run'), '/v1/runs', { workflow: { yaml: warned } });

    const warnings = [{ severity: 'warning', code: 'W_PARAM_REFUSED', line: 3 }];
    expect(started).toMatchObject({ status: 201, body: { workflowWarnings: warnings } });
    expect(found.body).toMatchObject({ warnings });
    expect(blind.status).toBe(201);
    expect(blind.body).not.toHaveProperty('workflowWarnings');
  });

  it('has warnings about the budget that only the run has', async () => {
    const yaml = `graph:
  id: warned
  nodes: [{id: Ask, type: human, config: {}}, {id: Tell, type: agent, config: {provider: openai, name: moon-1}}]
  edges: [{from: Ask, to: Tell}]
`;
    const started = await acme.ask('/v1/runs', { workflow: { yaml }, budget: { usd: 1 } });
    const found = await acme.ask(`/v1/runs/${String(started.body['runId'])}/workflow`);

    const warnings = [{ severity: 'warning', code: 'W_PRICE_UNKNOWN', line: 3 }];
    expect(started).toMatchObject({ status: 201, body: { workflowWarnings: warnings } });
    expect(found.body).toMatchObject({ warnings });
  });

  it('has references in place of secrets, as the journal has', async () => {
    const vars = { HIDDEN: secret, API_TOKEN: secret };
    const run = `/v1/runs/${await acme.start(yaml, { vars })}`;

    const found = await acme.ask(`${run}/workflow`);

    expect(found.body).toMatchObject({ vars: { HIDDEN: '${HIDDEN}', API_TOKEN: '${API_TOKEN}' } });
    for (const path of ['/workflow', '/journal?limit=1000', '']) {
      expect(JSON.stringify((await acme.ask(`${run}${path}`)).body)).not.toContain(secret);
    }
  });

  it('is unchanged when another version is published, and visible to its tenant only', async () => {
    const otherKey = await api.keyOf('other', 'read');
    const put = (text: string) =>
      fetch(`${api.orchestrator.url}/v1/workflows/verse`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${acme.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ yaml: text }),
      });
    expect((await put(yaml)).status).toBe(201);
    const { body } = await acme.ask('/v1/runs', { workflow: 'verse' }, { prefer: 'wait=20' });
    const newer = await put(`${yaml}# Newer.\n`);
    expect(newer.status).toBe(201);
    const current = ((await newer.json()) as { readonly hash: string }).hash;
    const path = `/v1/runs/${String(body['runId'])}`;

    expect((await acme.ask(`${path}/workflow`)).body).toMatchObject({
      ...{ name: 'verse', hash, yaml, vars: {} },
      current: { hash: current },
    });
    expect((await api.ask(otherKey, `${path}/workflow`)).status).toBe(404);

    const replay = await acme.ask(`${path}/replay`, {});
    expect((await acme.ask(`/v1/runs/${String(replay.body['runId'])}/workflow`)).body).toMatchObject({
      hash,
      yaml,
    });
  });
});
