import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { serveApi } from '../../support/http/api.ts';

const asks = `
graph:
  id: question
  nodes:
    - { id: Draft, type: passthrough, config: {} }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
  edges: [{ from: Draft, to: Reviewer }]
`;

const dashboard = useDashboard();
const { url } = dashboard;

const startRun = (input = 'A text') => dashboard.start(asks, { input, tags: ['nightly'] });

/** Returns the result of a run once it has ended. */
async function finished(run: string): Promise<{ readonly output: string }> {
  const response = await fetch(url(`/v1/runs/${run}?wait=20s&until=ended`));
  return (await response.json()) as { readonly output: string };
}

describe('the dashboard', () => {
  it('is opened by the address of the server, and lists runs', async () => {
    const { page } = dashboard;
    const run = await startRun();

    await page.goto(url('/'));

    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/runs');
    expect(await page.getAttribute('html', 'lang')).toBe('en');
    const row = page.locator(`tr[data-run="${run}"]`);
    await row.getByText('waiting').waitFor();
    expect(await row.getByRole('link', { name: 'A text' }).getAttribute('href')).toBe(`/ui/runs/${run}`);
  });

  it('shows a run as its graph, with the state of each node', async () => {
    const { page } = dashboard;
    const run = await startRun();

    await page.goto(url(`/ui/runs/${run}`));

    await page.getByRole('heading', { level: 1, name: 'A text' }).waitFor();
    await page.locator('[data-node="Draft"][data-state="done"]').waitFor();
    await page.locator('[data-node="Reviewer"][data-state="waiting"]').waitFor();
  });

  it('pauses and resumes a run', async () => {
    const { page } = dashboard;
    const run = await startRun();
    await page.goto(url(`/ui/runs/${run}`));

    await page.getByRole('button', { name: 'pause' }).click();
    await page.getByLabel('Facts').getByText('paused').waitFor();
    expect(await dashboard.api.runtime.runs.describe(run)).toMatchObject({ status: 'paused' });
    await page.getByRole('button', { name: 'resume' }).click();

    await page.getByLabel('Facts').getByText('waiting').waitFor();
  });

  it('is served with a policy under which no foreign or inline script runs', async () => {
    const { headers } = await fetch(url('/ui/runs'));

    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('a run', () => {
  it('is shown as of an earlier event', async () => {
    const { page } = dashboard;
    const run = await startRun();
    await page.goto(url(`/ui/runs/${run}`));
    await page.locator('[data-node="Reviewer"][data-state="waiting"]').waitFor();
    const slider = page.getByRole('slider', { name: 'Event of the journal' });

    await slider.press('Home');

    await page.locator('[data-node="Reviewer"][data-state="idle"]').waitFor();
    await page.locator('[data-node="Draft"][data-state="idle"]').waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^Event 1 of \d+/);
    expect(new URL(page.url()).searchParams.get('at')).toBe('1-0');
    await page.getByRole('button', { name: 'Newest event' }).click();
    await page.locator('[data-node="Reviewer"][data-state="waiting"]').waitFor();
  });

  it('opens a node in a panel with its inputs and outputs', async () => {
    const { page } = dashboard;
    const run = await startRun();
    await page.goto(url(`/ui/runs/${run}`));

    await page.locator('[data-node="Draft"]').click();

    const panel = page.getByRole('complementary', { name: 'Node Draft' });
    await panel.getByRole('region', { name: 'Output' }).getByText('A text').waitFor();
    expect(new URL(page.url()).searchParams.get('n')).toBe('Draft');
  });

  it.each([
    ['timeline', 'Reviewer'],
    ['activations', 'Is it good?'],
    ['conversation', 'A text'],
    ['journal', 'activation.suspended'],
    ['files', 'No node of this run has written a file.'],
    ['money', 'No node of this run has asked a model.'],
    ['yaml', 'type: passthrough'],
  ])('has a view %s', async (tab, text) => {
    const { page } = dashboard;
    const run = await startRun();
    await page.goto(url(`/ui/runs/${run}`));

    await page.getByRole('link', { name: new RegExp(`^${tab}$`, 'i') }).click();

    await page.locator('main').getByText(text).filter({ visible: true }).last().waitFor();
  });

  it('shows hostile text as text', async () => {
    const { page } = dashboard;
    const hostile = `<img src=x onerror="document.body.dataset.owned=1"><script>document.body.dataset.owned=1</script>`;
    const run = await startRun(hostile);
    await page.goto(url(`/ui/runs/${run}/conversation`));

    await page.getByText(hostile).first().waitFor();

    expect(await page.locator('body[data-owned]').count()).toBe(0);
  });
});

describe('the inbox', () => {
  const question = (run: string) => dashboard.page.getByRole('article').filter({ hasText: run });

  it('answers a question, and keeps typed text through a reload', async () => {
    const { page } = dashboard;
    const run = await startRun();
    await page.goto(url('/ui/inbox'));
    // The oldest question is the first one.
    await page.getByRole('link', { name: 'Reviewer' }).last().click();
    await question(run).getByRole('textbox').fill('It is go');

    await page.reload();

    const answer = question(run).getByRole('textbox');
    await answer.waitFor();
    expect(await answer.inputValue()).toBe('It is go');
    await answer.fill('It is good');
    await question(run).getByRole('button', { name: 'Answer' }).click();
    await question(run).waitFor({ state: 'detached' });
    expect((await finished(run)).output).toBe('It is good');
  });

  it('reports that another person was first, and keeps the typed text', async () => {
    const { page } = dashboard;
    const run = await startRun();
    await page.goto(url(`/ui/inbox/${run}.a2`));
    await question(run).getByRole('textbox').fill('mine');
    await page.route('**/v1/tasks/*/answer', async (route) => {
      await fetch(route.request().url(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'theirs' }),
      });
      await route.continue();
    });

    await question(run).getByRole('button', { name: 'Answer' }).click();

    await page.getByText('TASK_ANSWERED').waitFor();
    expect((await finished(run)).output).toBe('theirs');
    dashboard.expectErrors('409');
  });
});

describe('a copy without the built dashboard', () => {
  it('explains how to build it', async () => {
    const other = await serveApi({ ui: { root: '/nowhere' } });

    const response = await fetch(`${other.orchestrator.url}/ui/runs`);

    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run setup');
    await other.close();
  });
});
