import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBrowser } from '../../support/browser/browser.ts';
import { editorOf, isValid, paste, problemsOf } from '../../support/browser/workflow-editor.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace } from '../../support/processes/millrace.ts';

const guide = readFileSync(new URL('../../../docs/guide/dashboard-walk.md', import.meta.url), 'utf8');
const blockOf = (language: string): string =>
  guide.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms'))?.[1] ?? '';

const directory = mkdtempSync(join(tmpdir(), 'millrace-walk-'));
let installation: RunningCommand;
let browser: Browser;
let page: Page;
let url: string;
beforeAll(async () => {
  installation = startMillrace(['up', '--port', '0'], { env: { MILLRACE_DIR: directory } });
  browser = await startBrowser();
  [, url = ''] = await installation.says(/HTTP API is at (http:\S+)/);
  page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(15_000);
});
afterAll(async () => {
  await browser.close();
  installation.signal('SIGTERM');
  await installation.ended;
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

const link = (name: string | RegExp) => page.getByRole('link', { name });
const button = (name: string | RegExp) => page.getByRole('button', { name });
const rows = () => page.getByRole('table', { name: 'Rows' }).locator('tbody tr');

it('leads from a file of ChatDev to its costs, as the guide says', async () => {
  await page.goto(url);
  await link('Workflows').click();
  await link('New workflow').click();

  // 1. Paste the file.
  const pasted = blockOf('text');
  await editorOf(page).waitFor();
  await paste(page, pasted);
  await page.getByRole('region', { name: 'This is a workflow of ChatDev' }).waitFor();
  await button('2 errors · 2 warnings').click();
  for (const [, line, code] of guide.matchAll(/^\| (\d+).* \| \[`(\w+)`\]/gm))
    await problemsOf(page)
      .filter({ hasText: `line ${line}:` })
      .getByText(code ?? '')
      .first()
      .waitFor();

  // 2. Fix its problems, at the lines to which they lead.
  await problemsOf(page).filter({ hasText: 'E_FIELD_TYPE' }).getByRole('button').click();
  for (const _quoted of '"3"') await page.keyboard.press('Delete');
  await page.keyboard.type('3');
  await problemsOf(page).filter({ hasText: 'E_FUNCTION_UNKNOWN' }).getByRole('button').click();
  for (const _letter of 'is_accepted') await page.keyboard.press('Delete');
  await page.keyboard.insertText('{type: keyword, config: {any: [ACCEPT]}}');
  await page.getByRole('status').getByText('2 warnings').waitFor();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  for (const _brace of '{}') await page.keyboard.press('Backspace');
  await page.keyboard.insertText('{BASE_URL: https://api.openai.com/v1}');
  await page.getByText('No problems').waitFor();
  await page.locator('[data-node="Rounds"]').waitFor();

  // 3. Try it.
  await isValid(page);
  await button('Try…').click();
  await page.getByLabel('What each model answers').fill('ACCEPT');
  await page.getByLabel('Task').fill('When do you open on Sundays?');
  await button('Start').click();
  await page.getByRole('dialog').getByText('completed').waitFor();
  await link('Open the run').click();
  await page.getByRole('link', { name: 'draft', exact: true }).waitFor();
  await link('Workflows').click();
  await link('Continue the draft').click();

  // 4. Publish it.
  await editorOf(page).waitFor();
  await paste(page, blockOf('yaml'));
  await expect.poll(() => editorOf(page).textContent()).toContain('carry_data');
  await isValid(page);
  await button('Publish…').click();
  await page.getByRole('textbox', { name: 'Note' }).fill('From ChatDev');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('table', { name: 'Versions' }).getByText('From ChatDev').waitFor();

  // 5. A batch of 20 rows.
  await link('New batch').click();
  const letters = Buffer.from(blockOf('csv'));
  await page.getByRole('heading', { name: 'New batch' }).waitFor();
  await page.getByLabel('Table').setInputFiles({ name: 'letters.csv', mimeType: 'text/csv', buffer: letters });
  await page.getByLabel('Letter', { exact: true }).selectOption('input');
  await page.getByLabel('No.', { exact: true }).selectOption('id of the row');
  await button('Start 20 runs').click();
  await page.getByText('19 done').waitFor();

  // 6. Look at what failed.
  await page.getByRole('navigation', { name: 'Status of rows' }).getByRole('link', { name: 'failed 1' }).click();
  await expect.poll(() => rows().count()).toBe(1);
  await rows().getByText('MODEL_BAD_REQUEST').waitFor();
  await rows().getByRole('link', { name: /_13$/ }).click();
  await page.getByRole('alert').getByText('refused by the content filter').waitFor();
  const failed = page.url();
  await page.locator('[data-node="Writer"]').click();
  const panel = page.getByRole('complementary', { name: 'Node Writer' });
  await panel.getByText('Scoundrels! You have charged me twice.').first().waitFor();

  // 7. Fork it with another prompt.
  await panel.getByRole('button', { name: 'Fork here' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork at Writer, a1' });
  const prompt = dialog.getByRole('textbox', { name: 'Prompt' });
  expect(await prompt.inputValue()).toBe('You answer the letters that readers send to a library.');
  await prompt.press('End');
  await prompt.pressSequentially(' Stay calm, whatever they say.');
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.getByText('fork of').waitFor();
  await page.getByLabel('Facts').getByText('completed').waitFor();

  // 8. Compare.
  await page.keyboard.press('d');
  const pairs = page.getByRole('table', { name: 'Activations' });
  await pairs.getByRole('row', { name: 'Writer' }).getByText('changed').waitFor();
  await pairs.getByRole('row', { name: 'Letter' }).getByText('only B').waitFor();
  await button('Settings').click();
  const changes = page.getByRole('region', { name: /^Changes at line/ });
  await changes.getByText('Stay calm, whatever they say.').waitFor();
  expect(await changes.getByText(/^(added|removed): /).count()).toBe(2);

  // 9. Retry the row.
  await page.goto(failed);
  await link(/^batch batch_/).click();
  await button('Retry row 13').click();
  await page.getByText('20 done').waitFor();

  // 10. See what it cost.
  await page
    .getByLabel('Facts')
    .getByText(/^\$0\.\d+$/)
    .waitFor();
  await link('Usage of letter_desk').click();
  const today = page.getByRole('table', { name: 'Usage by day' }).getByRole('row').nth(1);
  await expect.poll(() => today.textContent()).toMatch(/\$0\.\d+/);
  await page.getByText('letter_desk').first().waitFor();
});
