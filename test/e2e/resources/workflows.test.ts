import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const says = (what: string) =>
  `graph:\n  id: speech\n  nodes:\n    - { id: Say, type: literal, config: { content: ${what} } }\n`;
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
/** A workflow whose model is at an address that is not allowed. */
const refused =
  "graph:\n  id: refused\n  nodes:\n    - { id: A, type: agent, config: { provider: openai, name: m, base_url: 'http://127.0.0.1:9', api_key: k, retry: { max_attempts: 1 } } }\n";
const hashOf = (yaml: string) => createHash('sha256').update(yaml).digest('hex').slice(0, 32);

const api = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'read', 'run', 'answer'));

async function send(
  method: 'PUT' | 'DELETE',
  name: string,
  more: { yaml?: string; note?: string; headers?: Record<string, string>; key?: string | undefined },
) {
  const response = await fetch(`${api.orchestrator.url}/v1/workflows/${name}`, {
    method,
    headers: {
      authorization: `Bearer ${more.key ?? acme.key}`,
      ...(more.yaml === undefined ? {} : { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(more.yaml === undefined ? {} : { body: JSON.stringify({ yaml: more.yaml, note: more.note }) }),
  });
  const body = (await response.json()) as Record<string, unknown>; // every answer is an object
  return { status: response.status, headers: response.headers, body };
}

const publish = (name: string, yaml: string, headers: Record<string, string> = {}) =>
  send('PUT', name, { yaml, headers });
const get = (path: string) => acme.ask(`/v1/workflows${path}`);
const start = (workflow: unknown, more: Record<string, unknown> = {}) =>
  acme.ask('/v1/runs', { workflow, ...more }, { prefer: 'wait=30' });

describe('a published workflow', () => {
  it('is run by its name, or in a certain version', async () => {
    const first = await publish('said', says('one'));
    const second = await publish('said', says('two'));

    expect(first).toMatchObject({ status: 201, body: { name: 'said', hash: hashOf(says('one')), warnings: [] } });
    expect(second.headers.get('etag')).toBe(`"${hashOf(says('two'))}"`);
    expect((await start('said')).body).toMatchObject({ status: 'completed', output: 'two', workflow: 'said' });
    expect((await start(`said@${hashOf(says('one'))}`)).body).toMatchObject({ output: 'one' });
    expect(await start(`said@${'0'.repeat(32)}`)).toMatchObject({ status: 404, body: { code: 'WORKFLOW_UNKNOWN' } });
    expect(await start('unsaid')).toMatchObject({ status: 404, body: { code: 'WORKFLOW_UNKNOWN' } });
    expect((await start('no such name')).status).toBe(400);
  });

  it('keeps its versions when they are published again', async () => {
    for (const what of ['a', 'b', 'b', 'c', 'a']) await publish('kept', says(what));
    const listed: string[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await get(`/kept/versions?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      listed.push(...(body['data'] as { hash: string }[]).map(({ hash }) => hash)); // the shape of a page
      cursor = body['nextCursor'];
    }

    expect(listed.toSorted()).toEqual(['a', 'b', 'c'].map((what) => hashOf(says(what))).sort());
    expect((await publish('kept', says('a'))).status).toBe(200);
    const current = await get('/kept');
    expect(current.body).toMatchObject({ hash: hashOf(says('a')), yaml: says('a') });
    expect(current.headers.get('etag')).toBe(`"${hashOf(says('a'))}"`);
    expect((await get(`/kept/versions/${hashOf(says('b'))}`)).body).toMatchObject({ yaml: says('b') });
    expect((await get(`/kept/versions/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await get('/lost/versions')).status).toBe(404);
  });

  it('shows of each version who published it, with which note, and its number of runs', async () => {
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map(async (name) => (await api.keys.create({ tenant: 'acme', name, scopes: ['run'] })).secret),
    );
    await send('PUT', 'noted', { yaml: says('one'), note: 'First try', key: ann });
    await start('noted');
    await start('noted');
    await send('PUT', 'noted', { yaml: says('two'), key: bob });
    await start('noted');
    const versions = async () => (await get('/noted/versions')).body['data'];
    expect(await versions()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ hash: hashOf(says('one')), by: 'ann', note: 'First try', runs: 2 }),
        expect.objectContaining({ hash: hashOf(says('two')), by: 'bob', runs: 1, lastRunAt: expect.any(Number) }),
      ]),
    );

    await send('PUT', 'noted', { yaml: says('one'), note: 'Back to the first', key: bob });

    const line = { name: 'noted', hash: hashOf(says('one')), by: 'bob', note: 'Back to the first' };
    expect((await get('/noted')).body).toMatchObject({ ...line, yaml: says('one') });
    expect((await get(`/noted/versions/${line.hash}`)).body).toMatchObject({ by: 'bob', note: line.note });
    const { body } = await get('?limit=200');
    const listed = (body['data'] as { name: string }[]).find(({ name }) => name === 'noted'); // the shape of a page
    expect(listed).toMatchObject({ ...line, runs: 3, lastRun: { runId: expect.any(String) } });
  });

  it('keeps its note until it gets another one, which is no new publication', async () => {
    const first = await send('PUT', 'renoted', { yaml: says('one'), note: 'Frist' });
    const second = await send('PUT', 'renoted', { yaml: says('one'), note: 'First' });
    const third = await send('PUT', 'renoted', { yaml: says('one') });

    expect([first, second, third].map(({ status }) => status)).toEqual([201, 200, 200]);
    expect(third.body).toMatchObject({ note: 'First', publishedAt: first.body['publishedAt'] });
    expect(await send('PUT', 'renoted', { yaml: says('one'), note: 'x'.repeat(1001) })).toMatchObject({ status: 400 });
  });

  it('is replaced only if it is the version that its author expects', async () => {
    const taken = { status: 412, body: { code: 'WORKFLOW_MOVED' } };
    const tag = (what: string) => ({ 'if-match': `"${hashOf(says(what))}"` });
    const made = await Promise.all(
      ['a', 'b', 'c'].map((what) => publish('moved', says(what), { 'if-none-match': '*' })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
    await publish('moved', says('d'));
    const changed = await Promise.all(['e', 'f', 'g'].map((what) => publish('moved', says(what), tag('d'))));
    expect(changed.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
    expect(await publish('moved', says('h'), tag('d'))).toMatchObject(taken);
    expect(await send('DELETE', 'moved', { headers: tag('d') })).toMatchObject(taken);
    expect(await publish('fresh', says('a'), { 'if-match': '*' })).toMatchObject(taken);
    expect((await publish('moved', says('h'), { 'if-match': 'd' })).status).toBe(400);
  });

  it('accepts concurrent publications one after the other', async () => {
    const all = Array.from({ length: 12 }, (_, at) => says(`many${at}`));
    const answers = await Promise.all(all.map((yaml) => publish('crowd', yaml)));

    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect((await get('/crowd/versions?limit=50')).body['data']).toHaveLength(all.length);
    expect(all.map(hashOf)).toContain((await get('/crowd')).body['hash']);
  });

  it('starts no runs once it is archived, while its runs continue', async () => {
    await publish('asked', question);
    const { body } = await start('asked');
    const [task] = body['tasks'] as { id: string }[]; // it has one question

    expect((await send('DELETE', 'asked', {})).body).toMatchObject({ archivedAt: expect.any(Number) });
    expect((await send('DELETE', 'asked', {})).status).toBe(200);
    for (const reference of ['asked', `asked@${hashOf(question)}`]) {
      expect(await start(reference)).toMatchObject({ status: 409, body: { code: 'WORKFLOW_ARCHIVED' } });
    }
    const again = await start('asked', { runId: body['runId'] });
    expect(again).toMatchObject({ status: 200, body: { runId: body['runId'] } });
    await acme.ask(`/v1/tasks/${task?.id}/answer`, { text: 'Red.' });
    expect((await acme.ask(`/v1/runs/${body['runId']}?wait=30s`)).body).toMatchObject({ status: 'completed' });
    expect((await publish('asked', question)).status).toBe(201);
    expect((await start('asked')).status).toBe(201);
    expect((await send('DELETE', 'nothing', {})).status).toBe(404);
  });

  it('is listed by name, and visible to its tenant only', async () => {
    for (const name of ['zeta', 'Alpha', 'alpha-2']) await publish(name, says(name));
    const page = await get('?limit=1');
    const { body } = await get(`?limit=200&cursor=${page.body['nextCursor']}`);
    const names = (body['data'] as { name: string }[]).map(({ name }) => name); // the shape of a page
    const otherKey = await api.keyOf('other', 'admin');

    expect(page.body['data']).toMatchObject([{ name: 'Alpha' }]);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(['alpha-2', 'zeta']));
    expect((await api.ask(otherKey, '/v1/workflows')).body).toEqual({ data: [], nextCursor: null });
    expect((await api.ask(otherKey, '/v1/runs', { workflow: 'zeta' })).status).toBe(404);
  });
});

describe('a text', () => {
  const faulty = 'graph:\n  id: x\n  nodes:\n    - { id: A, type: litteral, config: { content: Hi } }\n';
  const open = says('"${WHAT}"');

  it('with errors is not published', async () => {
    const refused = await publish('faulty', faulty);

    expect(refused).toMatchObject({ status: 422, body: { code: 'WORKFLOW_INVALID', errors: [{ line: 4 }] } });
    expect((await get('/faulty')).status).toBe(404);
    expect((await publish('../up', says('a'))).status).not.toBe(201);
    expect((await publish('a@b', says('a'))).status).toBe(400);
  });

  it('can leave the values of variables to its runs', async () => {
    const { body } = await publish('open', open);

    expect(body['warnings']).toMatchObject([{ code: 'W_VARIABLE_UNRESOLVED', severity: 'warning' }]);
    expect(await start('open')).toMatchObject({ status: 422, body: { errors: [{ code: 'E_VARIABLE_UNRESOLVED' }] } });
    expect((await start('open', { vars: { WHAT: 'rain' } })).body).toMatchObject({ output: 'rain' });
  });

  it('is drawn without being started, with the lines of its nodes, if it is valid', async () => {
    const draw = (yaml: string) => acme.ask('/v1/workflows/validate?graph=true', { yaml });
    const loop = `graph:
  id: loop
  start: [Writer]
  nodes:
    - { id: Writer, type: agent, config: { provider: openai, name: m, api_key: "\${KEY}" } }
    - { id: Inner, type: subgraph, config: { type: config, config: { id: in, nodes: [{ id: A, type: literal, config: { content: a } }] } } }
    - { id: Ask, type: human, config: { description: Well? } }
  edges:
    - { from: Writer, to: Ask }
    - { from: Ask, to: Writer }
    - { from: Ask, to: Inner, condition: { type: keyword, config: { any: [ok] } } }
`;

    const { body } = await draw(loop);

    expect(body).toMatchObject({ valid: true, graphs: { event: '0', activations: 0 } });
    const { graphs } = body['graphs'] as { graphs: Record<string, unknown>[] }; // as its schema has it
    expect(graphs).toMatchObject([
      {
        key: '',
        cycles: [{ nodes: [0, 2], iteration: 0, live: false }],
        nodes: [
          { id: 'Writer', type: 'agent', status: 'idle', line: 5 },
          { id: 'Inner', graph: 'Inner', line: 6 },
          { id: 'Ask', waits: true },
        ],
        edges: [{ from: 'Writer' }, { to: 'Writer' }, { conditional: true, condition: expect.stringContaining('ok') }],
      },
      { key: 'Inner', nodes: [{ id: 'A' }] },
    ]);
    expect((await draw(faulty)).body).not.toHaveProperty('graphs');
    expect((await acme.ask('/v1/workflows/validate', { yaml: loop })).body).not.toHaveProperty('graphs');
  });

  it('has a JSON Schema, which names the node types with their settings', async () => {
    const { status, body } = await acme.ask('/v1/schemas/workflow.json');

    expect(status).toBe(200);
    expect(body).toMatchObject({ $id: 'urn:millrace:workflow-schema', required: ['graph'] });
    expect(JSON.stringify(body)).toContain('loop_counter');
  });

  it('is refused with the errors and their positions', async () => {
    const validate = (yaml: string) => acme.ask('/v1/workflows/validate', { yaml });

    expect(await validate(says('a'))).toMatchObject({ status: 200, body: { valid: true, diagnostics: [] } });
    expect((await validate(open)).body).toMatchObject({ valid: true, diagnostics: [{ severity: 'warning' }] });
    expect((await validate(faulty)).body).toMatchObject({
      valid: false,
      diagnostics: [
        {
          severity: 'error',
          code: 'E_NODE_TYPE_UNKNOWN',
          path: 'graph.nodes[0].type',
          line: 4,
          column: expect.any(Number),
          message: expect.stringContaining('litteral'),
        },
      ],
    });
    expect((await validate('a: [')).body).toMatchObject({ valid: false, diagnostics: [{ code: 'E_YAML_SYNTAX' }] });
  });
});

describe('the numbers of an overview', () => {
  const weekOf = async (name: string) => (await get(`/${name}/overview`)).body['week'];
  const ended = (run: string) => acme.ask(`/v1/runs/${run}?wait=20s`);

  it('count each run where it ended, right after its end', async () => {
    await publish('counted', question);
    const { body } = await start('counted', { runId: 'asked', input: 'go' });
    expect(await weekOf('counted')).toMatchObject({ runs: 0 });

    const [task] = body['tasks'] as readonly { readonly id: string }[]; // as the contract has it
    await acme.ask(`/v1/tasks/${task?.id}/answer`, { text: 'That.' });
    await ended('asked');
    expect(await weekOf('counted')).toMatchObject({ runs: 1, completed: 1 });

    await acme.ask('/v1/runs/asked/replay', { runId: 'asked-again' });
    await ended('asked-again');
    expect(await weekOf('counted')).toMatchObject({ runs: 2, completed: 2 });

    await acme.ask('/v1/runs/asked/fork', { runId: 'asked-otherwise', at: 'a1' });
    await acme.ask('/v1/runs/asked-otherwise/cancel', {});
    await ended('asked-otherwise');
    expect(await weekOf('counted')).toMatchObject({ runs: 3, completed: 2, cancelled: 1 });

    const { key } = await api.tenant('acme', 'admin');
    const headers = { authorization: `Bearer ${key}` };
    await fetch(`${api.orchestrator.url}/v1/runs/asked`, { method: 'DELETE', headers });
    expect((await acme.ask('/v1/runs/asked')).status).toBe(404);
    expect(await weekOf('counted')).toMatchObject({ runs: 3, completed: 2, cancelled: 1 });
  });

  it('count a run that fails again after a retry once', async () => {
    await publish('failing', refused);
    await start('failing', { runId: 'refused', input: 'go' });
    expect(await weekOf('failing')).toMatchObject({ runs: 1, failed: 1 });

    expect((await acme.ask('/v1/runs/refused/retry', {})).status).toBeLessThan(300);
    expect((await ended('refused')).body).toMatchObject({ status: 'failed' });
    expect((await get('/failing/overview')).body).toMatchObject({
      week: { runs: 1, failed: 1 },
      lastFailures: [{ runId: 'refused', status: 'failed', error: { code: expect.any(String) } }],
    });
  });
});
