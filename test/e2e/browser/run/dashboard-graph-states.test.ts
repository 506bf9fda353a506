import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
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
/** Waits for the slider; its keys work from the moment at which it is there. */
const sliderIsThere = () => dashboard.page.getByRole('slider', { name: 'Event of the journal' }).waitFor();
const open = (run: string, more = '') => dashboard.page.goto(dashboard.url(`/ui/runs/${run}/graph${more}`));

it('keeps the size of the graph when the slider goes to the past', async () => {
  const { page } = dashboard;
  const run = await dashboard.start(question);
  await open(run);
  await node('Reviewer', 'waiting').waitFor();
  // A question beside the graph, which only the present has, is not what the test is about.
  await page.getByRole('button', { name: /^Text, passthrough/ }).click();
  await sliderIsThere();
  const graph = page.locator('.react-flow');
  const live = await graph.boundingBox();

  await page.keyboard.press('[');
  await page.getByText(/as of .*, not live/).waitFor();

  expect(await graph.boundingBox()).toEqual(live);
});

describe('a run that was cancelled while it asked', () => {
  it('shows in each view that its node waits no longer, and in the past that it did', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(question);
    await open(run);
    await node('Reviewer', 'waiting').waitFor();
    await fetch(dashboard.url(`/v1/runs/${run}/cancel`), { method: 'POST' });

    await node('Reviewer', 'cancelled').waitFor();
    expect(await node('Reviewer', 'cancelled').textContent()).not.toContain('asked');
    await sliderIsThere();
    await page.keyboard.press('[');
    await node('Reviewer', 'waiting')
      .getByText(/asked .* ago/)
      .waitFor();
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a2`));
    await page.getByRole('row').filter({ hasText: 'Reviewer' }).getByText('cancelled').waitFor();
    await page.getByRole('complementary', { name: 'a2' }).getByText('cancelled').waitFor();
    await page.goto(dashboard.url(`/ui/runs/${run}/timeline`));
    await page.getByRole('button', { name: 'Reviewer' }).and(page.locator('[title$="cancelled"]')).waitFor();
  });
});

describe('a node that has failed', () => {
  const failing = `
graph:
  id: failing
  start: [Read]
  nodes:
    - { id: Read, type: agent, config: { provider: scripted, name: m, params: { rules: [{ replies: [{ error: { type: AuthenticationError, status: 401, message: The key was refused. } }] }] } } }
`;

  it('shows its error from its failure on', async () => {
    const run = await dashboard.start(failing);
    await open(run);

    await node('Read', 'failed').getByText('The key was refused.').waitFor();
    await sliderIsThere();
    await dashboard.page.keyboard.press('{');
    await node('Read', 'idle').waitFor();
    expect(await node('Read', 'idle').textContent()).not.toContain('refused');
  });

  it('shows its error in a card of two lines, too', async () => {
    const run = await dashboard.start(
      'graph: { id: short, nodes: [{ id: Look, type: template, config: { fail: { code: PAPER, message: Out of paper } } }] }',
    );
    await open(run);
    await node('Look', 'failed').getByText('Out of paper').waitFor();
  });
});
