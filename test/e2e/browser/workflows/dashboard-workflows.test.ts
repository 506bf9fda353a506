import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import { publish as publishOver } from '../../../support/browser/workflow-editor.ts';

const dashboard = useDashboard();

const says = (what: string) =>
  `graph:\n  id: speech\n  nodes:\n    - { id: Say, type: literal, config: { content: ${what} } }\n`;

const publish = (name: string, yaml: string, note?: string): Promise<string> =>
  publishOver(dashboard, name, { yaml, ...(note === undefined ? {} : { note }) });

async function run(workflow: string): Promise<string> {
  const response = await fetch(dashboard.url('/v1/runs'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=30' },
    body: JSON.stringify({ workflow, input: `Run of ${workflow}` }),
  });
  return ((await response.json()) as { readonly runId: string }).runId;
}

describe('the list of workflows', () => {
  it('says that nothing is published yet, and leads to the editor', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/workflows'));

    await page.getByText('No workflow is published yet.').waitFor();
    await page.getByRole('link', { name: 'Write one here' }).click();
    await page.getByRole('textbox', { name: 'Workflow YAML' }).waitFor();
  });

  it('shows version, author, runs, failures and the last run of each, and is found by the palette', async () => {
    const { page } = dashboard;
    const hash = await publish('listed', says('one'), 'The first of them');
    await run('listed');
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');

    const row = page.getByRole('table', { name: 'Workflows' }).getByRole('row', { name: /listed/ });
    for (const text of [`@${hash.slice(0, 6)}`, 'by anybody', '0 of 1']) await row.getByText(text).waitFor();
    await row.getByTitle('The first of them').waitFor();
    await row.getByRole('link', { name: '1', exact: true }).click();
    const listed = page
      .getByRole('table', { name: 'Runs of the workflow' })
      .getByRole('row', { name: /Run of listed/ });
    await listed.getByText(`@${hash.slice(0, 6)}`).waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('list');
    await page
      .getByRole('option', { name: /listed/ })
      .first()
      .waitFor();
  });
});

describe('the overview of a workflow', () => {
  it('has its purpose, its runs of seven days, its last failures and its graph', async () => {
    const { page } = dashboard;
    await publish('glanced', says('one').replace('id: speech', 'id: speech\n  description: Says what it is told.'));
    await run('glanced');
    await page.goto(dashboard.url('/ui/workflows/glanced'));

    await page.waitForURL(/\/workflows\/glanced\/overview/);
    await page.getByText('Says what it is told.').waitFor();
    const week = page.getByRole('region', { name: 'Last seven days' });
    await week.getByText('Runs ended').waitFor();
    await week.getByRole('listitem').last().getByText('1 run, 0 failed').waitFor();
    await page.getByText('No run of it has failed.').waitFor();
    await page.getByRole('region', { name: 'Graph of the text' }).getByText('Say').first().waitFor();
  });
});

describe('the versions of a workflow', () => {
  it('have author, note and runs; two are compared, and an earlier one is published again', async () => {
    const { page } = dashboard;
    const first = await publish('versioned', says('one'), 'One');
    await run('versioned');
    await publish('versioned', says('two'), 'Two');
    await page.goto(dashboard.url('/ui/workflows/versioned/versions'));
    const table = page.getByRole('table', { name: 'Versions' });
    await table.getByRole('row', { name: /Two/ }).getByText('current').waitFor();
    await table.getByRole('row', { name: /One/ }).getByRole('link', { name: '1', exact: true }).waitFor();

    for (const box of await table.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Compare two versions' }).click();

    await page.getByText('removed:').first().waitFor();
    await page.getByText('content: two').waitFor();
    await page.goBack();
    await table.getByRole('row', { name: /One/ }).getByRole('button', { name: 'Publish again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('Back to the first');
    await dialog.getByRole('button', { name: 'Publish again' }).click();
    await table
      .getByRole('row', { name: /Back to the first/ })
      .getByText('current')
      .waitFor();
    const { hash } = (await (await fetch(dashboard.url('/v1/workflows/versioned'))).json()) as {
      readonly hash: string;
    };
    expect(hash).toBe(first);
  });

  it('are copied into the editor, which asks before they replace a draft', async () => {
    const { page } = dashboard;
    await publish('copied', says('one'), 'One');
    await publish('copied', says('two'), 'Two');
    await page.goto(dashboard.url('/ui/workflows/copied/versions'));

    await page.getByRole('row', { name: /One/ }).getByRole('link', { name: 'Edit this version' }).click();

    await page.getByRole('textbox', { name: 'Workflow YAML' }).getByText('content: one').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.locator('.cm-line').first().click();
    await page.keyboard.type('# mine ');
    await page.getByText('draft saved here').waitFor();
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('row', { name: /One/ }).getByRole('link', { name: 'Edit this version' }).click();
    await page.getByText('This browser has a draft of copied.').waitFor();
    await page.getByRole('button', { name: 'Keep the draft' }).click();
    await page.getByRole('textbox', { name: 'Workflow YAML' }).getByText('# mine').waitFor();
  });

  it('are archived after a question, with what does the same elsewhere', async () => {
    const { page, context } = dashboard;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const hash = await publish('archived', says('one'));
    await page.goto(dashboard.url('/ui/workflows/archived/versions'));
    await page.getByRole('button', { name: 'Archive', exact: true }).click();

    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('menuitem', { name: 'Copy as curl' }).click();

    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`curl -X DELETE ${dashboard.url('/v1/workflows/archived')} -H 'if-match: "${hash}"'`);
    await page.getByRole('button', { name: 'Archive archived' }).click();
    await page.getByText('archived', { exact: true }).last().waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor({ state: 'detached' });
  });

  it('of a name that nothing is published under are not found, with the way on', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/workflows/nothing/versions'));

    await page.getByRole('alert').getByText('There is no workflow nothing.').first().waitFor();
    dashboard.expectErrors('404');
  });
});
