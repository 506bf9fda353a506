import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

/** Names that every plain object of JavaScript knows. */
const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));

const auth = () => ({ authorization: `Bearer ${acme.key}` });
const post = (path: string, body: unknown) => acme.ask(path, body);
const get = (path: string) => acme.ask(path);

async function runOf(yaml: string, more: Readonly<Record<string, unknown>> = {}) {
  const started = await post('/v1/runs', { workflow: { yaml }, input: 'go', ...more });
  if (started.status !== 201) return started;
  return get(`/v1/runs/${started.body['runId']}?wait=30s`);
}

/** Sends a form as it is, because `FormData` is what an honest client uses. */
async function form(path: string, parts: readonly { name: string; filename?: string; content: string }[]) {
  const body = new FormData();
  for (const { name, filename, content } of parts) {
    if (filename === undefined) body.append(name, content);
    else body.append(name, new Blob([content]), filename);
  }
  const response = await fetch(`${api.orchestrator.url}${path}`, { method: 'POST', body, headers: auth() });
  const answer: Record<string, unknown> = JSON.parse(await response.text());
  return { status: response.status, body: answer };
}

const graph = (inner: string) => `graph:\n  id: hostile\n${inner}`;
const literal = (id: string, content = 'said') => `{ id: "${id}", type: literal, config: { content: "${content}" } }`;

describe.each(names)('something named %s', (name) => {
  it('can be a file with this name or extension', async () => {
    for (const filename of [name, `a.${name}`]) {
      const sent = await form('/v1/files', [{ name: 'file', filename, content: 'text' }]);
      expect(sent).toMatchObject({ status: 201, body: { mimeType: 'application/octet-stream' } });
      const stored = await fetch(`${api.orchestrator.url}/v1/files/${sent.body['id']}`, { headers: auth() });
      expect(await stored.text()).toBe('text');
    }
  });

  it('can be an artifact, and the artifacts of its run can be listed', async () => {
    const program = `for name in ['${name}', 'a.${name}']: open(name, 'w').write('text')`;
    const ended = await runOf(
      graph(`  nodes:
    - { id: Say, type: literal, config: { content: "${program}" } }
    - { id: Write, type: python, config: {} }
  edges: [{ from: Say, to: Write }]
`),
    );
    const listed = await get(`/v1/runs/${ended.body['runId']}/artifacts`);

    expect(ended.body).toMatchObject({ status: 'completed' });
    const files = (listed.body['data'] as { path: string; mimeType: string }[]).map(({ path, mimeType }) => [
      path,
      mimeType,
    ]);
    expect(files).toEqual(
      expect.arrayContaining([
        [name, 'application/octet-stream'],
        [`a.${name}`, 'application/octet-stream'],
      ]),
    );
  });

  it('can be a node that appears in the outputs of its run, or is refused', async () => {
    const yaml = graph(`  nodes: [${literal(name)}]\n`);
    if (name === '__proto__') {
      const { status, body } = await post('/v1/runs', { workflow: { yaml } });
      expect({ status, errors: body['errors'] }).toMatchObject({ status: 422, errors: [{ code: 'E_FIELD_INVALID' }] });
      return;
    }
    const ended = await runOf(yaml);

    expect(ended.body).toMatchObject({ status: 'completed', output: 'said' });
    expect(Object.entries(ended.body['outputs'] as object)).toEqual([[name, 'said']]);
    expect(await get(`/v1/runs/${ended.body['runId']}/activations`)).toMatchObject({
      status: 200,
      body: { data: [{ node: name }] },
    });
  });

  it('can be a tag', async () => {
    const ended = await runOf(graph(`  nodes: [${literal('A')}]\n`), { tags: [name] });

    expect(await get(`/v1/runs?tag=${name}`)).toMatchObject({ body: { data: [{ runId: ended.body['runId'] }] } });
  });

  it('can be a variable of templates, or is refused as a key', async () => {
    const yaml = graph(`  nodes:
    - id: Set
      type: template
      config: { text: x, data: { "${name}": "one" }, variables: { "${name}": "one", other: "{{ ${name} }}" } }
    - { id: Read, type: template, config: { text: "{{ other }} {{ ${name} }}" } }
  edges: [{ from: Set, to: Read }]
`);
    const { status, body } = await runOf(yaml);

    if (name === '__proto__')
      expect({ status, body }).toMatchObject({ status: 422, body: { code: 'WORKFLOW_INVALID' } });
    else expect(body).toMatchObject({ status: 'completed', output: 'one one' });
  });

  it('is no variable of the environment, in texts or in secrets', async () => {
    const yaml = graph(`  nodes: [${literal('Say', `\${${name}}`)}]\n`);
    expect(await post('/v1/runs', { workflow: { yaml } })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'E_VARIABLE_UNRESOLVED' }] },
    });
    const agent = graph(
      `  nodes: [{ id: A, type: agent, config: { provider: openai, name: m, base_url: "http://127.0.0.1:9/v1", api_key: "\${${name}}", retry: { max_attempts: 1 } } }]\n`,
    );
    expect((await runOf(agent)).body).toMatchObject({ status: 'failed', error: { code: 'SECRET_MISSING' } });
  });

  it('is no node type, condition, processor, tool, memory, splitter, termination or compatibility', async () => {
    const nodes = `  nodes: [${literal('A')}, ${literal('B')}]\n`;
    const faulty = [
      `  nodes: [{ id: A, type: "${name}", config: { a: 1 } }]\n`,
      `${nodes}  edges: [{ from: A, to: B, condition: "${name}" }]\n`,
      `${nodes}  edges: [{ from: A, to: B, condition: { type: "${name}", config: {} } }]\n`,
      `${nodes}  edges: [{ from: A, to: B, process: { type: "${name}", config: {} } }]\n`,
      `${nodes}  edges: [{ from: A, to: B, dynamic: { type: "${name}", config: {} } }]\n`,
      `${nodes}  edges: [{ from: A, to: B, dynamic: { type: map, split: { type: "${name}", config: {} } } }]\n`,
      `${nodes}  memory: [{ name: m, type: "${name}", config: {} }]\n`,
      `${nodes}  termination: { type: "${name}" }\n`,
      `  nodes: [{ id: A, type: agent, config: { provider: openai, name: m, tooling: [{ type: function, config: { tools: [{ name: "${name}" }] } }] } }]\n`,
      `${nodes}  edges: [{ from: A, to: "${name}" }]\n`,
    ].map(graph);
    for (const yaml of faulty) {
      const { status, body } = await post('/v1/workflows/validate', { yaml });
      const inCompat = await post('/v1/workflows/validate', { yaml, compat: 'chatdev' });

      expect({ yaml, status, valid: body['valid'] }).toEqual({ yaml, status: 200, valid: false });
      expect({ yaml, status: inCompat.status }).toEqual({ yaml, status: 200 });
      expect(JSON.stringify([body, inCompat.body])).not.toMatch(/native code|\[object Object\]/);
    }
  });

  it('is no provider of models', async () => {
    const yaml = graph(`  nodes: [{ id: A, type: agent, config: { provider: "${name}", name: m } }]\n`);

    expect((await runOf(yaml)).body).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_UNKNOWN' } });
  });

  it('can be a model with a limit and a price, and the error of a failing one', async () => {
    const failing = (type: string) => `{ rules: [{ error: { type: "${type}", message: no } }] }`;
    const yaml = graph(`  rate_limits: [{ name: "${name}", requests_per_minute: 100 }]
  nodes:
    - { id: A, type: agent, config: { provider: scripted, name: "${name}", params: { rules: [{ reply: { text: fine } }] } } }
    - { id: B, type: agent, on_error: text, config: { provider: scripted, name: "${name}", params: ${failing(name)}, retry: { max_attempts: 1 } } }
`);
    const { status, body } = await runOf(yaml, { budget: { tokens: 100_000 } });

    expect({ status, body: JSON.stringify(body) }).not.toMatchObject({
      body: expect.stringMatching(/native code|INTERNAL/),
    });
    expect([200, 422]).toContain(status);
  });

  it('can be the name of a field or a column, without an internal error', async () => {
    const yaml = graph(`  nodes: [${literal('A')}]\n`);
    const table = { name: 'file', filename: 'rows.csv', content: `input,${name}\nx,y\n` };
    const statuses = [
      await form('/v1/batches', [
        { name: 'workflow', content: JSON.stringify({ yaml }) },
        { name, content: '1' },
        table,
      ]),
      await form('/v1/batches', [{ name: 'workflow', content: JSON.stringify({ yaml }) }, table]),
      await post('/v1/batches', { workflow: { yaml }, rows: [{ input: 'x', [name]: 'y' }] }),
      await post('/v1/runs', { workflow: { yaml }, vars: { [name]: 'x' } }),
      await post('/v1/runs', { workflow: { yaml }, [name]: 'x' }),
      await post('/v1/runs', { workflow: name }),
      await get(`/v1/runs?tag=${name}&workflow=${name}`),
      await get(`/v1/runs/${name}`),
      await get(`/v1/workflows/${name}`),
      await get(`/v1/files/${name}`),
      await get(`/v1/tasks/${name}`),
      await get(`/v1/batches/${name}`),
      await get(`/v1/schedules/${name}`),
      await get(`/v1/webhooks/${name}`),
      await get(`/v1/runs?${name}=x`),
      await get(`/${name}`),
    ].map(({ status }) => status);

    for (const status of statuses) expect(status).toBeLessThan(500);
  });

  it('can be published as a workflow unless its name begins with _', async () => {
    const response = await fetch(`${api.orchestrator.url}/v1/workflows/${name}`, {
      method: 'PUT',
      body: JSON.stringify({ yaml: graph(`  nodes: [${literal('A', name)}]\n`) }),
      headers: { ...auth(), 'content-type': 'application/json' },
    });
    const isName = !name.startsWith('_');

    expect(response.status).toBe(isName ? 201 : 400);
    if (!isName) return;
    const { body } = await post('/v1/runs', { workflow: name });
    expect((await get(`/v1/runs/${body['runId']}?wait=30s`)).body).toMatchObject({ output: name });
  });
});
