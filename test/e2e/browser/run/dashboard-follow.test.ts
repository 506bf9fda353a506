import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';

const dashboard = useDashboard();

const asks = `
graph:
  id: asks
  nodes:
    - { id: First, type: human, config: { description: Is it good? } }
    - { id: Second, type: human, config: { description: Is it better? } }
  edges: [{ from: First, to: Second }]
`;

const node = (page: Page, id: string, state: string) => page.locator(`[data-node="${id}"][data-state="${state}"]`);

/** Answers a question of a run. */
async function answer(run: string, activation: string): Promise<void> {
  await dashboard.send('POST', `/v1/tasks/${run}.${activation}/answer`, { text: 'yes' });
}

/** Opens the graph of a new run that waits for its first answer, and counts what the page asks the server for. */
async function open(): Promise<{ readonly run: string; readonly asked: (suffix: RegExp) => number }> {
  const { page } = dashboard;
  const run = await dashboard.start(asks);
  await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/v1')) return;
    if (request.headers()['accept'] === 'text/event-stream') paths.push(`${pathname} stream`);
    else paths.push(pathname);
  });
  await page.goto(dashboard.url(`/ui/runs/${run}/graph`));
  await node(page, 'First', 'waiting').waitFor();
  await page.getByRole('slider').waitFor();
  return { run, asked: (pattern) => paths.filter((path) => pattern.test(path.replace(run, 'RUN'))).length };
}

/** Says to a page that its tab is hidden, or shown again. */
const setVisibility = (page: Page, state: 'visible' | 'hidden') =>
  page.locator(':root').evaluate((root, visibility) => {
    const { ownerDocument: document } = root;
    Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
    Object.defineProperty(document, 'hidden', { value: visibility === 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

describe('the screen of a run', () => {
  it('follows one stream, and requests the run only after events that change its questions', async () => {
    const { page } = dashboard;
    const { run, asked } = await open();
    await page.getByLabel('Breadcrumb').waitFor();
    const before = asked(/RUN$/);

    await answer(run, 'a1');
    await node(page, 'Second', 'waiting').waitFor();
    await page.getByRole('article').getByText('Is it better?').waitFor();
    expect(asked(/RUN\/events stream/)).toBe(1);
    await answer(run, 'a2');
    await page.getByLabel('Facts').getByText('completed').waitFor();

    // Each of two commits may lead to one reading by the stream of the run, and one by that of the installation.
    expect(asked(/RUN$/) - before).toBeLessThanOrEqual(5);
    expect(asked(/RUN\/graph/)).toBe(1);
  });

  it('can be paused, counts missed events, and catches up', async () => {
    const { page } = dashboard;
    const { run } = await open();
    await page.keyboard.press('l');
    await page.locator('[data-connection="still"]').waitFor();

    await answer(run, 'a1');

    await page.getByText(/· \d+ new/).waitFor();
    expect(await node(page, 'First', 'waiting').count()).toBe(1);
    await page.keyboard.press('l');
    await node(page, 'Second', 'waiting').waitFor();
  });

  it('closes its stream after 30 hidden seconds, and continues after the last event when it is shown', async () => {
    const page = await dashboard.ownPage();
    await page.clock.install();
    const { run, asked } = await open();

    await setVisibility(page, 'hidden');
    await page.clock.fastForward(31_000);
    await answer(run, 'a1');
    expect(asked(/RUN\/events stream/)).toBe(1);
    await setVisibility(page, 'visible');

    await node(page, 'Second', 'waiting').waitFor();
    expect(asked(/RUN\/events stream/)).toBe(2);
    expect(asked(/RUN\/events$/)).toBe(1);
  });

  it('shows within seconds that the run was removed, as do the list of runs and the inbox', async () => {
    const { page, context } = dashboard;
    const { run } = await open();
    for (const activation of ['a1', 'a2']) {
      await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
      await answer(run, activation);
    }
    await page.getByLabel('Facts').getByText('completed').waitFor();
    const [list, inbox] = [await context.newPage(), await context.newPage()];
    await list.goto(dashboard.url('/ui/runs'));
    await list.locator(`tr[data-run="${run}"]`).waitFor();
    await inbox.goto(dashboard.url(`/ui/inbox/${run}.a2`));
    await inbox.getByRole('article').waitFor();

    await fetch(dashboard.url(`/v1/runs/${run}`), { method: 'DELETE' });

    const absence = `There is no run ${run}.`;
    await page.getByRole('alert').getByText(absence).waitFor();
    await page.getByText('This run was removed').waitFor();
    expect(await page.getByLabel('Facts').getByText('completed').count()).toBe(1);
    expect(await page.getByRole('navigation', { name: 'Views of the run' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0);
    await list.locator(`tr[data-run="${run}"]`).waitFor({ state: 'detached' });
    await inbox.getByRole('alert').getByText(`There is no question ${run}.a2.`).waitFor();
    dashboard.expectErrors('404');
  });

  it('works in nine tabs of one browser, of which one is seen', async () => {
    const page = await dashboard.ownPage();
    const { context } = dashboard;
    const { run } = await open();
    await context.addInitScript({
      content: "Object.defineProperty(Document.prototype, 'visibilityState', { value: 'hidden', configurable: true })",
    });
    for (let tab = 2; tab <= 9; tab += 1) {
      const other = await context.newPage();
      await other.goto(dashboard.url(`/ui/runs/${run}/graph`));
      await node(other, 'First', 'waiting').waitFor();
    }

    await answer(run, 'a1');

    await node(page, 'Second', 'waiting').waitFor();
  });
});
