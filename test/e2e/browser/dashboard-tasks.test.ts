import type { Locator } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { violationsOn } from '../../support/browser/accessibility.ts';
import { finishedRun, talk } from '../../support/browser/compared-runs.ts';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { editorOf, isValid, paste, problemsOf, publish } from '../../support/browser/workflow-editor.ts';

/*
 * What people come for, with the clicks of a mouse that it may take at most, from the list of runs on. Typing, with the
 * place where it goes, and waiting are not counted.
 */

const dashboard = useDashboard();

let clicks = 0;
const click = async (target: Locator): Promise<void> => {
  clicks += 1;
  await target.click();
};
const begin = async (): Promise<void> => {
  clicks = 0;
  await dashboard.page.goto(dashboard.url('/ui/runs'));
  await dashboard.page.getByRole('heading', { level: 1 }).waitFor();
};
const link = (name: string | RegExp) => dashboard.page.getByRole('link', { name });
const button = (name: string | RegExp) => dashboard.page.getByRole('button', { name });
/** Cancels a run that would occupy the worker. */
const cancel = (run: string) => fetch(dashboard.url(`/v1/runs/${run}/cancel`), { method: 'POST' });
const screen = (name: string) =>
  dashboard.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: new RegExp(`^${name}`) });
const node = (id: string) => dashboard.page.locator(`[data-node="${id}"]`);
const panelOf = (id: string) => dashboard.page.getByRole('complementary', { name: `Node ${id}` });

const agent = (params: string, role = 'Write one line.') =>
  `{ id: Writer, type: agent, config: { provider: scripted, name: parrot, role: ${role}, params: ${params} } }`;
const writes = (reply: string) => `
graph:
  id: writes
  prices: { parrot: { input: 100, output: 100 } }
  nodes: [${agent(`{ default: ${reply} }`)}]
`;
const failing = `
graph:
  id: failing
  nodes: [${agent('{ rules: [{ replies: [{ error: { type: AuthenticationError, status: 401, message: The key was refused. } }] }] }')}]
`;
const replaced = `
graph:
  id: replaced
  nodes:
    - id: Writer
      type: agent
      config:
        provider: scripted
        name: crow
        params: { default: { error: { type: APIError, status: 503 } } }
        retry: { max_attempts: 1 }
        fallback: [{ provider: scripted, name: parrot, params: { default: Rain. } }]
`;
const review = `
graph:
  id: review
  start: [Draft]
  nodes:
    - { id: Draft, type: literal, config: { content: A draft } }
    - { id: Reviewer, type: human, config: { description: Is it good? Enter ACCEPT to take it. } }
    - { id: Mend, type: literal, config: { content: Mended } }
  edges:
    - { from: Draft, to: Reviewer }
    - { from: Reviewer, to: Mend, condition: { type: keyword, config: { none: [ACCEPT] } } }
`;
/** A unit with the word "bad" fails, one with "slow" does not end. */
const mapped = `
graph:
  id: mapped
  start: [Lines]
  nodes:
    - { id: Lines, type: passthrough, config: {} }
    - id: Work
      type: agent
      config:
        provider: scripted
        name: parrot
        params:
          rules:
            - { when: { last_user_contains: bad }, replies: [{ error: { status: 400, message: Too short. } }] }
            - { when: { last_user_contains: slow }, reply: { text: late, delay_ms: 600000 } }
          default: fine
  edges: [{ from: Lines, to: Work, dynamic: { type: map, config: { split_type: lines } } }]
`;
const shaky = `
graph:
  id: shaky
  nodes:
    - ${agent('{ rules: [{ when: { last_user_contains: bad }, replies: [{ error: { status: 400, message: refused } }, at last] }], default: fine }')}
`;

beforeAll(async () => {
  await publish(dashboard, 'shaky', { yaml: shaky });
  await publish(dashboard, 'costly', {
    yaml: writes('"A long reply, with many words, that costs more than a short one."'),
  });
});

it('says in 2 clicks why a run failed', async () => {
  await finishedRun(dashboard, failing, 'A failure');
  await begin();

  await click(dashboard.page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: /^failed/ }));
  await click(link('A failure'));

  await dashboard.page.getByRole('alert').getByText('The key was refused.').waitFor();
  expect(clicks).toBeLessThanOrEqual(2);
});

it('shows in 3 clicks what an agent was asked, its answer, its tokens and its cost', async () => {
  await finishedRun(dashboard, writes('A line about rain.'), 'About rain');
  await begin();

  await click(link('About rain'));
  await click(node('Writer'));
  await click(panelOf('Writer').getByRole('button', { name: 'chat parrot' }));

  const prompt = panelOf('Writer').getByRole('region', { name: 'Prompt' });
  await prompt.getByText('Write one line.').waitFor();
  await prompt.getByText('About rain').first().waitFor();
  await panelOf('Writer').getByRole('region', { name: 'Reply' }).getByText('A line about rain.').waitFor();
  const call = panelOf('Writer').getByRole('region', { name: 'Table of calls' }).getByRole('row').nth(1);
  await expect.poll(() => call.textContent()).toMatch(/\$0\.\d+/);
  // One pair of buttons starts other runs here.
  expect(await panelOf('Writer').getByRole('button', { name: 'Fork here' }).count()).toBe(1);
  expect(clicks).toBeLessThanOrEqual(3);
});

it('shows in 2 clicks in whose place a model was asked', async () => {
  await finishedRun(dashboard, replaced, 'A model that is down');
  await begin();

  await click(link('A model that is down'));
  await click(node('Writer'));

  const calls = panelOf('Writer').getByRole('region', { name: 'Table of calls' }).getByRole('rowheader');
  await expect
    .poll(() => calls.allTextContents())
    .toEqual([expect.stringMatching(/^chat crow failed/), expect.stringMatching(/^chat parrot in place of crow/)]);
  expect(clicks).toBeLessThanOrEqual(2);
});

it('takes an answer on a phone in 3 clicks, and confirms it', async () => {
  const page = await dashboard.ownPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await dashboard.start(review, { input: 'A text to review' });
  await begin();

  await click(screen('Inbox'));
  await click(page.getByRole('navigation', { name: 'Questions' }).getByRole('link', { name: /Is it good/ }));
  // The word that the condition excludes is a button, too, for those who do not like to type.
  await button(/^ACCEPT → not to Mend/).waitFor();
  await page.getByLabel('Your answer').fill('ACCEPT');
  await click(page.getByRole('button', { name: 'Answer', exact: true }));

  await page.getByRole('status').getByText('Answered “ACCEPT”').waitFor();
  expect(clicks).toBeLessThanOrEqual(3);
});

it('has four screens with words in the bar of a phone, and the others in a menu', async () => {
  const page = await dashboard.ownPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await begin();

  const words = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
  await expect.poll(() => words.locator('span').allTextContents()).toEqual(['Runs', 'Inbox', 'Workflows', 'Batches']);
  await button('More screens').click();
  await page.getByRole('menuitem', { name: 'Usage' }).click();

  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  await button('More screens, Usage is shown').waitFor();
});

it('forks from the middle with another prompt, and compares, in 5 clicks', async () => {
  await finishedRun(dashboard, talk, 'To be forked');
  await begin();

  await click(link('To be forked'));
  await click(node('Writer'));
  await click(panelOf('Writer').getByRole('button', { name: 'Fork here' }));
  const dialog = dashboard.page.getByRole('dialog');
  // The field is ready to be typed into.
  await expect
    .poll(() => dialog.getByRole('textbox', { name: 'Prompt' }).evaluate((at) => at.matches(':focus')))
    .toBe(true);
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Write another draft.');
  await click(dialog.getByRole('button', { name: 'Fork', exact: true }));
  await click(dashboard.page.getByLabel('Facts').getByRole('link', { name: 'Compare' }));

  await dashboard.page.getByRole('table', { name: 'Totals' }).waitFor();
  expect(clicks).toBeLessThanOrEqual(5);
});

it('finds the most expensive workflow of the week in 3 clicks', async () => {
  const { runId } = await dashboard.send('POST', '/v1/runs', { workflow: 'costly', input: 'A text' });
  await fetch(dashboard.url(`/v1/runs/${runId}?wait=60s`));
  await begin();

  await click(screen('Usage'));
  await click(button('7 days'));
  await click(dashboard.page.getByRole('button', { name: 'Workflow', exact: true }));

  const table = dashboard.page.getByRole('table', { name: 'Usage by workflow' });
  await expect.poll(() => table.getByRole('row').nth(1).textContent()).toMatch(/^(costly|writes)/);
  expect(clicks).toBeLessThanOrEqual(3);
});

it('starts a run by its form in 3 clicks', async () => {
  const { page } = dashboard;
  await begin();

  await click(screen('Workflows'));
  await click(link('Start costly'));
  await expect.poll(() => page.getByLabel('Task').evaluate((field) => field.matches(':focus'))).toBe(true);
  await page.keyboard.type('By the form');
  await click(page.getByRole('button', { name: 'Start', exact: true }));

  await page.getByRole('heading', { level: 1, name: 'By the form' }).waitFor();
  expect(clicks).toBeLessThanOrEqual(3);
});

it('runs a table, and retries the failed row, in 5 clicks', async () => {
  const { page } = dashboard;
  await begin();

  await click(screen('Workflows'));
  await click(link('Batch shaky'));
  const chooser = page.waitForEvent('filechooser');
  await click(page.getByLabel('Table'));
  await (await chooser).setFiles({
    name: 'letters.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('No.,Letter\n1,Dear readers\n2,bad words\n3,Goodbye\n'),
  });
  await page.getByText('Letter is the input, No. is the id of the row').waitFor();
  const start = button('Start 3 runs');
  await start.waitFor();
  // It is in view without scrolling.
  expect((await start.boundingBox())?.y).toBeLessThan(page.viewportSize()?.height ?? 0);
  await click(start);
  await page.getByText('2 done').waitFor();
  await click(button('Retry 1 row'));

  await page.getByText('3 done').waitFor();
  expect(clicks).toBeLessThanOrEqual(5);
});

it('edits with an error, tries and publishes in 6 clicks', async () => {
  const { page } = dashboard;
  await begin();

  await click(screen('Workflows'));
  await click(link('Edit costly'));
  await editorOf(page).waitFor();

  await paste(page, writes('Mended').replace('type: agent', 'type: agnt'));
  await click(problemsOf(page).first().getByRole('button'));
  await paste(page, writes('Mended'));
  await isValid(page);
  await click(button('Try…'));
  await page.getByLabel('Task').fill('A trial');
  const dialog = page.getByRole('dialog');
  await click(dialog.getByRole('button', { name: 'Start', exact: true }));
  await dialog.getByRole('region', { name: 'Outcome' }).getByText('Mended').waitFor();
  // What it changes is shown before it is published.
  await dialog
    .getByRole('region', { name: /^Changes/ })
    .first()
    .waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Shorter');
  await click(dialog.getByRole('button', { name: 'Publish', exact: true }));

  await page.getByText('as published').waitFor();
  await page.locator('main').getByText('Shorter', { exact: true }).waitFor();
  expect(clicks).toBeLessThanOrEqual(6);
});

it('tells in 1 click what a worker does now, unit by unit', async () => {
  const run = await dashboard.start(mapped, { input: 'slow one\nslow two' });
  await begin();

  await click(screen('Operations'));

  const work = dashboard.page.getByRole('table', { name: 'Workers' });
  for (const unit of [/Work · unit 1 · a\d+ for \d/, /Work · unit 2 · a\d+ for \d/])
    await work.getByRole('listitem').filter({ hasText: unit }).waitFor({ timeout: 30_000 });
  expect(clicks).toBeLessThanOrEqual(1);
  await cancel(run);
});

it.each([
  ['its input', 'text:marmalade'],
  ['its output', 'since:7d text:"bergamot tea"'],
])('finds a run of last week by a word of %s in 2 clicks', async (_of, words) => {
  const { page } = dashboard;
  await finishedRun(
    dashboard,
    writes('Something with bergamot tea.'),
    `${'A long text. '.repeat(20)} It ends with marmalade.`,
  );
  await begin();

  await click(page.getByLabel(/^Search runs by words/));
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^task or result with/ }).waitFor();
  await click(
    page
      .getByRole('table', { name: 'Runs' })
      .getByRole('link', { name: /^A long text/ })
      .first(),
  );

  await page.getByText('Writer').first().waitFor();
  expect(clicks).toBeLessThanOrEqual(2);
});

it('leads in 2 clicks to the failed unit of a map that is live', async () => {
  const lines = ['fine', 'fine', 'bad', ...Array.from({ length: 60 }, () => 'fine'), 'slow'];
  const run = await dashboard.start(mapped, { input: lines.join('\n') });
  await begin();

  await click(link(/^fine/).first());
  await click(node('Work'));

  await panelOf('Work').getByText('Too short.').first().waitFor();
  // Its row begins with what was given to it.
  await panelOf('Work')
    .getByRole('button', { name: /^unit 3 bad failed/ })
    .waitFor();
  expect(clicks).toBeLessThanOrEqual(2);
  await cancel(run);
});

it('stops everything in an emergency in 3 clicks, and resumes the queues in one', async () => {
  const { page } = dashboard;
  const run = await dashboard.start(review, { input: 'To be stopped' });
  await begin();

  await click(screen('Operations'));
  await click(button('Stop everything'));
  const dialog = page.getByRole('dialog', { name: 'Stop everything?' });
  await dialog.getByText('No activation starts, of any tenant').waitFor();
  await click(dialog.getByRole('button', { name: 'Stop everything' }));

  await page.getByRole('status').getByText('All queues are paused.').waitFor();
  expect(clicks).toBeLessThanOrEqual(3);
  const ended = await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  expect(await ended.json()).toMatchObject({ status: 'cancelled' });
  await button('Resume all queues').click();
  await page.getByRole('status').getByText('All queues are resumed.').waitFor();
});
