import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServedApi } from '../support/api.ts';
import { serveApi } from '../support/api.ts';
import { workbook, workbookOf } from '../support/workbook.ts';

const greeting =
  'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n    - { id: B, type: literal, config: { content: "${NAME}" } }\n  edges:\n    - { from: A, to: B }\n';
const echo = 'graph:\n  id: echo\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n';
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
/** Fails once for whoever asks for trouble. */
const shaky = `graph:
  id: shaky
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params:
          rules:
            - { when: { last_user_contains: trouble }, replies: [{ error: { status: 400, message: refused } }, 'at last'] }
          default: fine
`;

let api: ServedApi;
let key = '';
beforeAll(async () => {
  api = await serveApi();
  await api.another();
  key = await api.keyOf('acme', 'run', 'read');
  for (const [name, yaml] of Object.entries({ greeting, echo, question, shaky })) {
    const init = { method: 'PUT', headers: { ...headers(), 'content-type': 'application/json' } };
    await fetch(`${api.orchestrator.url}/v1/workflows/${name}`, { ...init, body: JSON.stringify({ yaml }) });
  }
});
afterAll(() => api.close());

interface Row {
  readonly row: number;
  readonly id?: string;
  readonly status: string;
  readonly runId?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const headers = () => ({ authorization: `Bearer ${key}` });
const forget = async (id: string) =>
  (await fetch(`${api.orchestrator.url}/v1/batches/${id}`, { method: 'DELETE', headers: headers() })).status;
const get = (path: string, by = key) => api.ask(by, path);
const make = (body: object, by = key) => api.ask(by, '/v1/batches', body);

async function upload(name: string, file: string | Uint8Array<ArrayBufferLike>, fields: Record<string, string>) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new Blob([Buffer.from(file)]), name);
  const init = { method: 'POST', body: form, headers: headers() };
  const response = await fetch(`${api.orchestrator.url}/v1/batches`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // a batch, or a problem
}

/** How a batch stands once it is as wanted. */
async function until(
  id: string,
  isWanted: (batch: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await get(`/v1/batches/${id}`);
    if (isWanted(body)) return body;
  }
}
const finished = (id: string) => until(id, ({ status }) => status === 'finished');

async function rowsOf(id: string, query = ''): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: unknown = '0'; cursor !== null; ) {
    const { body } = await get(`/v1/batches/${id}/rows?limit=80&cursor=${String(cursor)}${query}`);
    rows.push(...(body['data'] as Row[])); // the contract's
    cursor = body['nextCursor'];
  }
  return rows;
}

describe('a batch', () => {
  it('runs the rows of an Excel file', async () => {
    const file = await workbook([
      ['id', 'input', 'vars'],
      ['one', 'x', '{"NAME": "Ann"}'],
      [2, 'y', '{"NAME": "Bob"}'],
    ]);
    const made = await upload('rows.xlsx', file, { workflow: 'greeting', tags: '["letters"]' });
    const id = String(made.body['id']);

    await finished(id);

    expect(await rowsOf(id)).toMatchObject([{ id: 'one', status: 'completed' }, { id: '2' }]);
    expect((await get(`/v1/runs/${id}_2`)).body).toMatchObject({ output: 'Bob', tags: ['letters', `batch:${id}`] });
  });

  it.each([
    [
      'unpacks to far more than it has',
      () => `<row><c t="inlineStr"><is><t>${' '.repeat(70_000_000)}</t></is></c></row>`,
    ],
    ['says that it has a billion columns', () => '<row r="1"><c r="ZZZZZZZ1"><v>1</v></c></row>'],
  ])('refuses an Excel file that %s', async (_what, rows) => {
    const file = await workbookOf(rows());
    expect(file.length).toBeLessThan(1_000_000);

    const made = await upload('rows.xlsx', file, { workflow: 'greeting' });

    expect(made).toMatchObject({ status: 422, body: { code: 'BATCH_INVALID' } });
    expect(made.body['detail']).toMatch(/unpacks to more than|too much memory/);
  });

  it('has no more than so many rows at work, and cancels them and those that wait', async () => {
    const rows = Array.from({ length: 7 }, (_, at) => ({ input: `Row ${at}` }));
    await make({ id: 'asking', workflow: 'question', parallel: 3, rows });
    await until('asking', (batch) => JSON.stringify(batch['rows']).includes('"running":3'));
    const counts = async () => (await get('/v1/batches/asking')).body['rows'];
    expect(await counts()).toMatchObject({ running: 3, waiting: 4 });
    await api.ask(key, '/v1/runs/asking_1/cancel', {});
    await until('asking', (batch) => JSON.stringify(batch['rows']).includes('"cancelled":1'));
    await until('asking', (batch) => JSON.stringify(batch['rows']).includes('"running":3'));
    expect(await counts()).toMatchObject({ running: 3, waiting: 3, cancelled: 1 });

    expect((await api.ask(key, '/v1/batches/asking/cancel', {})).status).toBe(202);

    const batch = await until('asking', ({ status }) => status === 'cancelled');
    expect(batch['rows']).toMatchObject({ cancelled: 7, running: 0, waiting: 0 });
    expect((await get('/v1/runs/asking_2')).body).toMatchObject({ status: 'cancelled' });
    expect((await get('/v1/runs/asking_7')).status).toBe(404);
  });

  it('goes on with the rows that failed where they failed, and with those that could not be started', async () => {
    const rows = [{ input: 'peace' }, { input: 'trouble' }];
    await make({ id: 'shaky', workflow: 'shaky', rows });
    expect((await finished('shaky'))['rows']).toMatchObject({ completed: 1, failed: 1 });
    expect((await rowsOf('shaky', '&status=failed'))[0]).toMatchObject({
      row: 2,
      runId: 'shaky_2',
      error: { code: 'MODEL_BAD_REQUEST' },
    });

    expect((await api.ask(key, '/v1/batches/shaky/retry-failed', {})).status).toBe(202);

    await until('shaky', (batch) => JSON.stringify(batch['rows']).includes('"completed":2'));
    await finished('shaky');
    expect(await rowsOf('shaky')).toMatchObject([{ status: 'completed' }, { status: 'completed', runId: 'shaky_2' }]);
    expect((await get('/v1/runs/shaky_2')).body).toMatchObject({ output: 'at last' });

    await make({ id: 'lacking', workflow: 'greeting', rows: [{ input: 'x', vars: { NAME: 'Ann' } }, { input: 'y' }] });
    await finished('lacking');
    expect(await rowsOf('lacking')).toMatchObject([
      { status: 'completed' },
      { status: 'failed', error: { code: 'WORKFLOW_INVALID' } },
    ]);
    expect((await rowsOf('lacking'))[1]).not.toHaveProperty('runId');
  });

  it('is made once for an id, and seen by its tenant only', async () => {
    const stranger = await api.keyOf('other', 'run', 'read');
    const body = { id: 'mine', workflow: { yaml: echo }, rows: [{ task: 'x' }] };

    expect((await make(body)).status).toBe(201);
    expect((await make({ ...body, rows: [{ task: 'y' }, { task: 'z' }] })).status).toBe(200);
    expect((await get('/v1/batches/mine')).body).toMatchObject({ total: 1, workflow: null });
    for (const path of ['', '/rows']) expect((await get(`/v1/batches/mine${path}`, stranger)).status).toBe(404);
    expect((await api.ask(stranger, '/v1/batches/mine/cancel', {})).status).toBe(404);
    expect((await get('/v1/batches', stranger)).body).toEqual({ data: [], nextCursor: null });
    expect((await get('/v1/batches?limit=1')).body['data']).toHaveLength(1);
  });

  it('is made once by two who make it at once', async () => {
    const rows = Array.from({ length: 5 }, () => ({ input: 'x' }));
    const one = (of: typeof rows) => make({ id: 'both', workflow: 'echo', rows: of });

    const made = await Promise.all([one(rows), one(rows.slice(2))]);

    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    const { total, rows: counts } = await finished('both');
    expect(counts).toMatchObject({ completed: total });
    expect(await rowsOf('both')).toHaveLength(Number(total));
  });

  it('has runs of its own, whatever has their ids', async () => {
    const outputs = async (id: string) =>
      Promise.all((await rowsOf(id)).map(async ({ runId }) => (await get(`/v1/runs/${runId}`)).body['output']));
    await api.ask(key, '/v1/runs', { runId: 'again_2', workflow: 'echo', input: 'by hand' });
    await make({ id: 'again', workflow: 'echo', rows: [{ input: 'first' }, { input: 'first' }] });
    await finished('again');
    expect(await outputs('again')).toEqual(['first', 'first']);
    const ids = (await rowsOf('again')).map(({ runId }) => runId);
    expect(ids).toEqual(['again_1', expect.stringMatching(/^again_[0-9a-f]{12}_2_2$/)]);
    await forget('again');

    await make({ id: 'again', workflow: 'echo', rows: [{ input: 'second' }] });

    await finished('again');
    expect(await outputs('again')).toEqual(['second']);
    expect((await get('/v1/runs/again_1')).body).toMatchObject({ output: 'first' });
  });

  it('tries a terminated row again with a run that no other batch can have', async () => {
    await make({ id: 'ask', workflow: 'question', rows: [{ input: 'x' }] });
    await make({ id: 'ask_1', workflow: 'echo', rows: [{ input: 'y' }, { input: 'z' }] });
    await finished('ask_1');
    await until('ask', (batch) => JSON.stringify(batch['rows']).includes('"running":1'));
    await api.ask(key, '/v1/runs/ask_1/stop', {});
    await finished('ask');

    await api.ask(key, '/v1/batches/ask/retry-failed', {});

    await until('ask', (batch) => JSON.stringify(batch['rows']).includes('"running":1'));
    const [row] = await rowsOf('ask');
    expect(row?.runId).toMatch(/^ask_[0-9a-f]{12}_1_2$/);
    expect((await get(`/v1/runs/${row?.runId}`)).body).toMatchObject({ workflow: 'question' });
  });

  it('is forgotten when that is asked for and all of it is done', async () => {
    await make({ id: 'open', workflow: 'question', rows: [{ input: 'x' }] });
    await make({ id: 'done', workflow: 'echo', rows: [{ input: 'x' }] });
    await finished('done');

    expect([await forget('open'), await forget('done'), await forget('done')]).toEqual([409, 200, 404]);
    expect((await get('/v1/batches/done/rows')).status).toBe(404);
    expect((await get('/v1/runs/done_1')).status).toBe(200);
  });

  it.each([
    { what: 'no rows', file: 'input\n', status: 422 },
    { what: 'an unknown column', file: 'input,colour\nx,red\n', status: 422 },
    { what: 'no column for the input', file: 'id\nx\n', status: 422 },
    { what: 'a file of another kind', name: 'rows.txt', status: 422 },
    { what: 'a broken Excel file', name: 'rows.xlsx', status: 422 },
    { what: 'a workflow that is not there', fields: { workflow: 'nowhere' }, status: 404 },
    { what: 'a field that is no JSON', fields: { parallel: 'many' }, status: 422 },
    { what: 'a field that there is not', fields: { colour: '1' }, status: 400 },
    { what: 'rows beside the file', fields: { rows: '[{"input": "y"}]' }, status: 400 },
    { what: 'a file that is not in UTF-8', file: Buffer.from('input\nCaf\xe9\n', 'latin1'), status: 422 },
  ])('with $what is refused', async ({ name = 'rows.csv', file = 'input\nx\n', fields = {}, status }) => {
    const made = await upload(name, file, { id: 'refused', workflow: 'echo', ...fields });

    expect(made.status).toBe(status);
    expect((await get('/v1/batches/refused')).status).toBe(404);
  });

  it.each([
    { kind: 'CSV', type: 'text/csv; charset=utf-8', file: async () => Buffer.from('id,input\none,x\ntwo,y\n') },
    {
      kind: 'XLSX',
      type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      file: () => workbook([['input'], ['x'], ['y']]),
    },
  ])('is made of a body that is a table by itself, in $kind', async ({ kind, type, file }) => {
    const made = await sendTable(`workflow=greeting&id=plain-${kind}&vars={"NAME":"Ann"}&parallel=2`, type, {
      body: await file(),
    });

    expect(made).toMatchObject({ status: 201, body: { parallel: 2, total: 2, workflow: 'greeting' } });
    await finished(`plain-${kind}`);
    expect((await get(`/v1/runs/plain-${kind}_2`)).body).toMatchObject({ output: 'Ann' });
  });

  it.each([
    { charset: 'windows-1252', body: Buffer.from('input\nCaf\xe9\n', 'latin1') },
    { charset: 'UTF-16', body: Buffer.from('\ufeffinput\nCaf\u00e9\n', 'utf16le') },
  ])('is read in $charset where that is said', async ({ charset, body }) => {
    const id = `in-${charset}`;
    await sendTable(`workflow=echo&id=${id}`, `text/csv; charset="${charset}"`, { body });

    await finished(id);

    expect((await get(`/v1/runs/${id}_1`)).body).toMatchObject({ output: 'Caf\u00e9' });
  });

  it.each([
    { what: 'a charset that there is not', query: 'workflow=echo', type: 'text/csv; charset=martian', status: 422 },
    { what: 'a field that there is not', query: 'workflow=echo&colour=1', type: 'text/csv', status: 400 },
    { what: 'a field that is no JSON', query: 'workflow=echo&parallel=many', type: 'text/csv', status: 422 },
    { what: 'no workflow', query: '', type: 'text/csv', status: 400 },
    { what: 'a body of another kind', query: 'workflow=echo', type: 'text/tab-separated-values', status: 415 },
    { what: 'JSON with fields in the address', query: 'workflow=echo', type: 'application/json', status: 422 },
  ])('refuses a table with $what', async ({ query, type, status }) => {
    expect(await sendTable(query, type, { body: type.endsWith('json') ? '{}' : 'input\nx\n' })).toMatchObject({
      status,
    });
  });

  it('is one batch for one idempotency key, and another table is no repetition', async () => {
    const send = (text: string) =>
      sendTable('workflow=echo', 'text/csv', { body: text, headers: { 'idempotency-key': 'table-1' } });
    const first = await send('input\nx\n');

    expect(await send('input\nx\n')).toEqual(first);
    expect(await send('input\ny\n')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
  });
});

async function sendTable(
  query: string,
  type: string,
  { body, ...more }: { body: string | Uint8Array; headers?: Record<string, string> },
) {
  const init = {
    method: 'POST',
    headers: { ...headers(), 'content-type': type, ...more.headers },
    body: Buffer.from(body),
  };
  const response = await fetch(`${api.orchestrator.url}/v1/batches${query === '' ? '' : `?${query}`}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // a batch, or a problem
}
