import { expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';

/** A server whose runs are in its memory, as `millrace up --local` starts it. */
const dashboard = useDashboard({ where: { local: true } });

const heading = (name: string) => dashboard.page.getByRole('heading', { level: 1, name });
const explanation = () => dashboard.page.getByText('This server keeps everything in its memory.');

it('shows runs, and leads to nothing that is not there', async () => {
  const { page } = dashboard;
  await dashboard.start('graph: { id: passes, nodes: [{ id: Say, type: passthrough, config: {} }] }');
  await page.goto(dashboard.url('/ui/'));
  await page.getByText('in memory', { exact: true }).waitFor();

  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('listitem');
  expect(await links.allInnerTexts()).toEqual(['Runs', 'Inbox', 'Workflows', 'Usage', 'Settings']);
  await page.getByRole('link', { name: 'A text' }).first().click();
  await heading('A text').waitFor();
});

it.each([
  ['batches', 'Batches'],
  ['batches/new', 'Batches'],
  ['schedules', 'Schedules'],
  ['schedules/new', 'Schedules'],
  ['webhooks', 'Webhooks'],
  ['webhooks/runs', 'Webhooks'],
  ['bulk', 'Bulk actions'],
  ['operations/workers', 'Operations'],
  ['settings/keys', 'Settings'],
])('explains at /ui/%s what is not there, and the way to it', async (path, title) => {
  await dashboard.page.goto(dashboard.url(`/ui/${path}`));

  await heading(title).waitFor();
  await explanation().waitFor();
  expect(await dashboard.page.getByRole('main').textContent()).toContain('millrace up');
});

it('begins with a workflow that runs', async () => {
  const { page } = dashboard;
  await page.goto(dashboard.url('/ui/runs/new'));
  await page.getByRole('link', { name: 'Write one here' }).click();
  await heading('New workflow').waitFor();

  await page.getByRole('button', { name: /^Try/ }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Task' }).fill('The moon');
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
  await page.getByRole('dialog').getByText('It waits for an answer of a person').waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'Open the run' }).click();

  await page.getByRole('button', { name: 'Answer', exact: true }).waitFor();
});
