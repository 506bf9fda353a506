import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveBatches } from '../../support/http/batch-api.ts';
import { workbook, workbookOf } from '../../support/http/workbook.ts';

const greeting =
  'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n    - { id: B, type: literal, config: { content: "${NAME}" } }\n  edges:\n    - { from: A, to: B }\n';
const echo = 'graph:\n  id: echo\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n';

const batches = openBeforeAll(() => serveBatches({ greeting, echo }));

describe('a batch', () => {
  it('runs the rows of an Excel file', async () => {
    const file = await workbook([
      ['id', 'input', 'vars'],
      ['one', 'x', '{"NAME": "Ann"}'],
      [2, 'y', '{"NAME": "Bob"}'],
    ]);
    const made = await batches.upload('rows.xlsx', file, { workflow: 'greeting', tags: '["letters"]' });
    const id = String(made.body['id']);

    await batches.finished(id);

    expect(await batches.rowsOf(id)).toMatchObject([{ id: 'one', status: 'completed' }, { id: '2' }]);
    expect((await batches.get(`/v1/runs/${id}_2`)).body).toMatchObject({
      output: 'Bob',
      tags: ['letters', `batch:${id}`],
    });
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

    const made = await batches.upload('rows.xlsx', file, { workflow: 'greeting' });

    expect(made).toMatchObject({ status: 422, body: { code: 'BATCH_INVALID' } });
    expect(made.body['detail']).toMatch(/unpacks to more than|too much memory/);
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
  ])('is refused with $what', async ({ name = 'rows.csv', file = 'input\nx\n', fields = {}, status }) => {
    const made = await batches.upload(name, file, { id: 'refused', workflow: 'echo', ...fields });

    expect(made.status).toBe(status);
    expect((await batches.get('/v1/batches/refused')).status).toBe(404);
  });

  it.each([
    { kind: 'CSV', type: 'text/csv; charset=utf-8', file: async () => Buffer.from('id,input\none,x\ntwo,y\n') },
    {
      kind: 'XLSX',
      type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      file: () => workbook([['input'], ['x'], ['y']]),
    },
  ])('is created from a body that is a table, in $kind', async ({ kind, type, file }) => {
    const made = await batches.sendTable(`workflow=greeting&id=plain-${kind}&vars={"NAME":"Ann"}&parallel=2`, type, {
      body: await file(),
    });

    expect(made).toMatchObject({ status: 201, body: { parallel: 2, total: 2, workflow: 'greeting' } });
    await batches.finished(`plain-${kind}`);
    expect((await batches.get(`/v1/runs/plain-${kind}_2`)).body).toMatchObject({ output: 'Ann' });
  });

  it.each(['csv', 'xlsx'])(
    'reads the columns of a table (%s) as the request maps them, and previews them',
    async (kind) => {
      const cells = [
        ['Customer', 'Name', 'Remark', 'No.'],
        ['Dear Ann', 'Ann', 'x', 'a'],
        ['', 'Bob', 'y', 'b'],
        ['Dear Cid', '', '', 'c'],
      ];
      const file = kind === 'csv' ? cells.map((row) => row.join(',')).join('\n') : await workbook(cells);
      const columns = JSON.stringify({ Customer: 'input', Name: 'vars.NAME', 'No.': 'id' });
      const form = new FormData();
      form.set('columns', columns);
      form.set('file', new Blob([Buffer.from(file)]), `table.${kind}`);
      const response = await fetch(`${batches.api.orchestrator.url}/v1/batches/preview`, {
        method: 'POST',
        headers: { authorization: `Bearer ${batches.key}` },
        body: form,
      });
      const preview = (await response.json()) as Record<string, unknown>; // the contract's

      const made = await batches.upload(`table.${kind}`, file, {
        workflow: 'greeting',
        columns,
        vars: '{"NAME":"you"}',
      });
      const id = String(made.body['id']);
      await batches.finished(id);

      expect(preview).toMatchObject({
        columns: [
          { name: 'Customer', to: 'input' },
          { name: 'Name', to: 'vars.NAME' },
          { name: 'Remark', to: null },
          { name: 'No.', to: 'id' },
        ],
        total: 3,
        wrong: 1,
        rows: [{ cells: ['Dear Ann', 'Ann', 'x', 'a'] }, { problem: 'It has no input.' }, { row: 3 }],
        problems: [{ row: 2, problem: 'It has no input.' }],
      });
      expect(await batches.rowsOf(id, '&results=true')).toMatchObject([
        { id: 'a', input: 'Dear Ann', vars: { NAME: 'Ann' }, output: 'Ann' },
        { status: 'invalid', error: { code: 'ROW_INVALID' } },
        { id: 'c', input: 'Dear Cid', output: 'you' },
      ]);
    },
  );

  it.each([
    ['no column for the input', '{"Name": "id"}', 400],
    ['a field twice', '{"Name": "input", "Task": "input"}', 400],
    ['a meaning that there is not', '{"Name": "input", "Task": "colour"}', 400],
    ['a column that the table has not', '{"Name": "input", "Town": "vars.TOWN"}', 422],
  ])('is refused when its columns name %s', async (_what, columns, status) => {
    const made = await batches.upload('rows.csv', 'Name,Task\nAnn,x\n', { workflow: 'echo', columns });

    expect(made.status).toBe(status);
  });

  it.each([
    { charset: 'windows-1252', body: Buffer.from('input\nCaf\xe9\n', 'latin1') },
    { charset: 'UTF-16', body: Buffer.from('\ufeffinput\nCaf\u00e9\n', 'utf16le') },
  ])('is read in $charset where that is declared', async ({ charset, body }) => {
    const id = `in-${charset}`;
    await batches.sendTable(`workflow=echo&id=${id}`, `text/csv; charset="${charset}"`, { body });

    await batches.finished(id);

    expect((await batches.get(`/v1/runs/${id}_1`)).body).toMatchObject({ output: 'Caf\u00e9' });
  });

  it.each([
    { what: 'a charset that there is not', query: 'workflow=echo', type: 'text/csv; charset=martian', status: 422 },
    { what: 'a field that there is not', query: 'workflow=echo&colour=1', type: 'text/csv', status: 400 },
    { what: 'a field that is no JSON', query: 'workflow=echo&parallel=many', type: 'text/csv', status: 422 },
    { what: 'no workflow', query: '', type: 'text/csv', status: 400 },
    { what: 'a body of another kind', query: 'workflow=echo', type: 'text/tab-separated-values', status: 415 },
    { what: 'JSON with fields in the address', query: 'workflow=echo', type: 'application/json', status: 422 },
  ])('refuses a table with $what', async ({ query, type, status }) => {
    expect(await batches.sendTable(query, type, { body: type.endsWith('json') ? '{}' : 'input\nx\n' })).toMatchObject({
      status,
    });
  });

  it('is created once for an idempotency key, and another table is refused under the same key', async () => {
    const send = (text: string) =>
      batches.sendTable('workflow=echo', 'text/csv', { body: text, headers: { 'idempotency-key': 'table-1' } });
    const first = await send('input\nx\n');

    expect(await send('input\nx\n')).toEqual(first);
    expect(await send('input\ny\n')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
  });
});
