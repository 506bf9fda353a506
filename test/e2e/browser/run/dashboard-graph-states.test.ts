import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';

const dashboard = useDashboard();

const question = `
graph:
  id: question
  start: [Text]
  nodes:
    - { id: Text, type: passthrough, config: {} }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
  edges: [{ from: Text, to: Reviewer }]
`;

const node = (id: string, state: string): Locator =>
  dashboard.page.locator(`[data-node="${id}"][data-state="${state}"]`);
const open = (run: string, more = '') => dashboard.page.goto(dashboard.url(`/ui/runs/${run}/graph${more}`));

it('keeps the size of the graph when the slider goes to the past', async () => {
  const { page } = dashboard;
  const run = await dashboard.start(question);
  await open(run);
  await node('Reviewer', 'waiting').waitFor();
  // A question beside the graph, which only the present has, is not what the test is about.
  await page.getByRole('button', { name: /^Text, passthrough/ }).click();
  await page.getByRole('slider', { name: 'Event of the journal' }).waitFor();
  const graph = page.locator('.react-flow');
  const live = await graph.boundingBox();

  await page.keyboard.press('[');
  await page.getByText(/as of .*, not live/).waitFor();

  expect(await graph.boundingBox()).toEqual(live);
});
