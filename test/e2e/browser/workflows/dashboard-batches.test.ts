import type { Download, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { overflowOf, violationsOn } from '../../../support/browser/accessibility.ts';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import { workbook } from '../../../support/http/workbook.ts';

/** Fails once for whoever asks for trouble. */
const shaky = `
graph:
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
const asks = 'graph: { id: asks, nodes: [{ id: H, type: human, config: { description: Is it good? } }] }';
const greets =
  'graph: { id: greets, start: [A], end: [B], nodes: [{ id: A, type: passthrough, config: {} }, { id: B, type: literal, config: { content: "Hello ${NAME}" } }], edges: [{ from: A, to: B }] }';
const dashboard = useDashboard();

const { send } = dashboard;

beforeAll(async () => {
  for (const [name, yaml] of Object.entries({ shaky, asks, greets }))
    await send('PUT', `/v1/workflows/${name}`, { yaml });
});

/** Starts a batch with a row for each input. */
const start = (
  batch: { readonly id: string; readonly workflow: string; readonly parallel?: number },
  inputs: readonly string[],
) => send('POST', '/v1/batches', { ...batch, rows: inputs.map((input) => ({ input })) });
const statusOf = async (id: string) => (await send('GET', `/v1/batches/${id}`))['status'];
const finished = (id: string) => expect.poll(() => statusOf(id)).toBe('finished');
const rowsTable = (page: Page) => page.getByRole('table', { name: 'Rows' });
const open = (path: string) => dashboard.page.goto(dashboard.url(`/ui/${path}`));

async function textOf(download: Download): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part as Buffer); // without an encoding
  return Buffer.concat(parts).toString('utf8');
}

async function save(item: RegExp): Promise<string> {
  await dashboard.page.getByRole('button', { name: 'Download results' }).click();
  const [download] = await Promise.all([
    dashboard.page.waitForEvent('download'),
    dashboard.page.getByRole('menuitem', { name: item }).click(),
  ]);
  return textOf(download);
}

describe('the list of batches', () => {
  it('says how to make the first one', async () => {
    const { page } = dashboard;
    await page.route('**/v1/batches**', (route) =>
      route.fulfill({ contentType: 'application/json', body: '{"data":[],"nextCursor":null}' }),
    );
    await open('batches');

    await page.getByText('There is no batch yet.').waitFor();
    await page.getByText('millrace batch start WORKFLOW people.csv').waitFor();
  });

  it('shows progress as it is made, without asking again by the clock', async () => {
    const { page } = dashboard;
    await open('batches');
    await page.locator('[data-connection="live"]').waitFor();

    await start({ id: 'live', workflow: 'asks', parallel: 2 }, ['one', 'two', 'three']);

    const card = page.getByRole('listitem').filter({ hasText: 'live' }).filter({ hasText: 'asks' });
    await card.getByText('2 running').waitFor();
    await card.getByText('1 left').waitFor();
    await send('POST', '/v1/batches/live/cancel', {});
    await card.getByText('3 cancelled').waitFor();
  });
});

describe('a new batch', () => {
  it.each(['csv', 'xlsx'])(
    'previews a table (%s), maps its columns, shows wrong rows and starts the others',
    async (kind) => {
      const { page } = dashboard;
      const cells = [
        ['Task', 'Name'],
        ['Greet', 'Ann'],
        ['', 'Bob'],
        ['Greet', 'Cid'],
      ];
      const buffer =
        kind === 'csv' ? Buffer.from(cells.map((row) => row.join(',')).join('\n')) : Buffer.from(await workbook(cells));
      await open('batches/new?workflow=greets');

      await page.getByLabel('Table').setInputFiles({ name: `people.${kind}`, mimeType: '', buffer });
      await page.getByRole('table', { name: 'First rows' }).getByText('Cid').waitFor();
      await page.getByLabel('Name', { exact: true }).selectOption('variable');
      await page.getByText('1 of 3 rows cannot start a run').waitFor();
      await page.getByText('Row 2: It has no input.').waitFor();
      expect(await page.getByLabel('Variable of Name').inputValue()).toBe('NAME');
      await page.getByText('Starts 2 runs of greets, 10 at a time. 1 wrong row is left out.').waitFor();
      await page.getByLabel('Id of the batch').fill(`people-${kind}`);
      await page.getByRole('button', { name: 'Start 2 runs' }).click();

      await page.getByRole('heading', { level: 1, name: `Batch people-${kind}` }).waitFor();
      await page.getByText('2 done').waitFor();
      await page.getByRole('link', { name: 'results' }).click();
      await rowsTable(page).getByRole('link', { name: 'Hello Ann' }).waitFor();
      await rowsTable(page).getByRole('link', { name: 'Hello Cid' }).waitFor();
    },
  );

  it('says what is missing, and what is no table', async () => {
    const { page } = dashboard;
    await open('batches/new');
    const choose = (name: string, text: string) =>
      page.getByLabel('Table').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });

    await choose('people.csv', 'Customer,City\nAnn,Rome\n');
    await page.getByRole('status').getByText('Choose the column that has the input of each row.').waitFor();
    await page.getByRole('button', { name: /Start runs.*Choose the column/ }).waitFor();
    const widthOf = (role: 'table' | 'region', name: string) =>
      page.getByRole(role, { name }).evaluate(({ clientWidth }) => clientWidth);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await widthOf('table', 'First rows')).toBe(await widthOf('region', 'Preview'));
    await page.setViewportSize({ width: 1280, height: 720 });
    dashboard.expectErrors('422');
    await choose('people.txt', 'x');

    await page.getByRole('alert').getByText('neither a .csv nor a .xlsx file').waitFor();
    dashboard.expectErrors('422');
  });

  it('shows hostile cells as text', async () => {
    const { page } = dashboard;
    const hostile = '<img src=x onerror="document.body.dataset.owned=1">';
    await open('batches/new?workflow=greets');

    await page.getByLabel('Table').setInputFiles({
      name: 'x.csv',
      mimeType: '',
      buffer: Buffer.from(`input,${hostile.replaceAll('"', "'")}\n${hostile.replaceAll('"', "'")},y\n`),
    });

    await page.getByRole('cell', { name: '<img src=x' }).first().waitFor();
    expect(await page.locator('body[data-owned]').count()).toBe(0);
  });
});

describe('a batch', () => {
  it('filters its rows, shows their errors, and retries one row and then all others', async () => {
    const { page } = dashboard;
    await start({ id: 'mended', workflow: 'shaky' }, ['peace', 'trouble 1', 'trouble 2', 'trouble 3']);
    await finished('mended');
    await open('batches/mended?status=failed');
    await expect.poll(() => rowsTable(page).locator('tbody tr').count()).toBe(3);
    await rowsTable(page).getByRole('link', { name: 'MODEL_BAD_REQUEST' }).first().waitFor();

    await page.getByRole('button', { name: 'Retry row 2' }).click();
    // Nothing is paid again, so nothing has to be confirmed.
    await expect.poll(() => rowsTable(page).locator('tbody tr').count()).toBe(2);
    await page.getByRole('button', { name: 'Retry 2 rows' }).click();
    // The message is with the failed rows, which may have gone before it is seen.
    const none = page.getByText('No row is failed.');
    await page.getByRole('status').getByText('2 rows wait to be retried.').or(none).first().waitFor();
    await none.waitFor();
    await page.getByRole('link', { name: 'Show all rows' }).click();
    await page.getByText('4 done').waitFor();
    await rowsTable(page).getByRole('link', { name: 'mended_2' }).click();
    await page.getByRole('heading', { level: 1, name: 'trouble 1' }).waitFor();
  });

  it('has rows for fingers and for pointers, and its deletion behind all other actions', async () => {
    const { page } = dashboard;
    await start({ id: 'touched', workflow: 'shaky' }, ['trouble']);
    await finished('touched');
    const actions = () => page.locator('main header').first().locator('button').allInnerTexts();
    const heightOf = async (target: Locator) => (await target.boundingBox())?.height;
    const row = rowsTable(page).locator('tbody tr').first();
    const retry = page.getByRole('button', { name: 'Retry row 1' });

    await page.setViewportSize({ width: 390, height: 844 });
    await open('batches/touched');
    await retry.waitFor();
    expect([await heightOf(row), await heightOf(retry)]).toEqual([52, 44]);
    expect(await actions()).toEqual(['Retry 1 row', 'Results', 'Delete']);
    await page.setViewportSize({ width: 1440, height: 900 });

    await expect.poll(() => heightOf(row)).toBe(32);
    expect(await heightOf(retry)).toBe(24);
  });

  it('is cancelled after a dialog that says how many rows that concerns', async () => {
    const { page } = dashboard;
    await start({ id: 'cancelled', workflow: 'asks', parallel: 1 }, ['one', 'two', 'three']);
    await open('batches/cancelled');
    await page.getByText('1 running').waitFor();

    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByText('2 rows will not start, and the runs of 1 row are cancelled').waitFor();
    await page.getByRole('button', { name: 'Cancel the batch' }).click();

    await page.getByText('3 cancelled').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the batch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
  });

  it('saves its results as CSV that is safe for spreadsheets, and as exact JSON', async () => {
    await send('PUT', '/v1/workflows/echo', {
      yaml: 'graph: { id: echo, nodes: [{ id: A, type: passthrough, config: {} }] }',
    });
    await start({ id: 'saved', workflow: 'echo' }, ['=SUM(A1)', 'two, "words"']);
    await finished('saved');
    await open('batches/saved');

    expect(await save(/CSV/)).toContain(
      `1,,completed,saved_1,'=SUM(A1),'=SUM(A1),,\r\n2,,completed,saved_2,"two, ""words"""`,
    );
    expect(JSON.parse((await save(/JSON/)).split('\n')[0] ?? '')).toMatchObject({ output: '=SUM(A1)' });
  });

  it('saves the rows that it has so far while it is running, in pages', async () => {
    const inputs = Array.from({ length: 201 }, (_, at) => `Row ${at + 1}`);
    await start({ id: 'underway', workflow: 'asks', parallel: 1 }, inputs);
    await open('batches/underway');
    await dashboard.page.getByText('1 running').waitFor();

    const lines = (await save(/JSON/))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

    expect(lines.map(({ input }) => input)).toEqual(inputs);
    expect([lines[0], lines[200]]).toMatchObject([{ status: 'running' }, { status: 'waiting' }]);
    await send('POST', '/v1/batches/underway/cancel', {});
  });

  it('keeps few of many rows in the document, and reaches the last one of those with a status', async () => {
    const { page } = dashboard;
    await send('POST', '/v1/batches', {
      id: 'large',
      workflow: 'asks',
      parallel: 1,
      rows: Array.from({ length: 5_000 }, (_, at) => ({ input: `Row ${at + 1}` })),
    });
    await open('batches/large?status=waiting');
    await rowsTable(page).getByText('Row 2', { exact: true }).waitFor();

    // The first row is not waiting any more, which the page may hear later.
    await expect.poll(() => rowsTable(page).getAttribute('aria-rowcount')).toBe('5000');
    await page.keyboard.press('End');
    await rowsTable(page).getByText('Row 5000').waitFor();
    expect(await rowsTable(page).locator('tbody tr').count()).toBeLessThan(60);
    await send('POST', '/v1/batches/large/cancel', {});
  });

  it('that is gone, or refused by scope, says so', async () => {
    const { page } = dashboard;
    await open('batches/nothing');
    await page.getByRole('alert').getByText('There is no batch nothing.').waitFor();
    await start({ id: 'scoped', workflow: 'asks' }, ['one']);
    const me = { name: 'viewer', tenant: 'default', scopes: ['read'], operator: false, open: false };
    const server = { version: '1', now: Date.now(), workers: 1 };
    await page.route('**/v1/me', (route) =>
      route.fulfill({ contentType: 'application/json', body: JSON.stringify({ ...me, server }) }),
    );
    await open('batches/scoped');

    await page
      .getByRole('button', { name: /Cancel\s*: This needs a key with the scope "run"; yours has read/ })
      .waitFor();
    dashboard.expectErrors('404');
  });
});

describe('accessibility', () => {
  it('finds no violation of WCAG 2.2 A and AA in the screens of batches, and nothing too wide for a phone', async () => {
    const { page } = dashboard;
    await start({ id: 'seen', workflow: 'shaky' }, ['peace', 'trouble']);
    await finished('seen');
    const faults: Record<string, readonly string[]> = {};
    const screens: Readonly<Record<string, () => Promise<unknown>>> = {
      batches: () => page.getByText('seen').first().waitFor(),
      'batches/seen': () => rowsTable(page).getByText('trouble').waitFor(),
      'batches/seen?view=results': () => rowsTable(page).getByText('fine').waitFor(),
      'batches/new?workflow=shaky': async () => {
        const buffer = Buffer.from('Task,Name\nx,Ann\n,Bob\n');
        await page.getByLabel('Table').setInputFiles({ name: 'people.csv', mimeType: '', buffer });
        await page.getByLabel('Name', { exact: true }).selectOption('variable');
        await page.getByText('Row 2: It has no input.').waitFor();
      },
    };
    for (const [path, ready] of Object.entries(screens)) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await open(path);
      await ready();
      const found = [...(await violationsOn(page)), ...(await overflowOf(page))];
      if (found.length > 0) faults[path] = found;
    }

    expect(faults).toEqual({});
  });
});
