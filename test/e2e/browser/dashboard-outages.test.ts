import { connect } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';

const passes = 'graph: { id: passes, nodes: [{ id: Say, type: passthrough, config: {} }] }';
const asks = 'graph: { id: asks, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';
const dashboard = useDashboard();

const connection = (state: string) => dashboard.page.locator(`[data-connection="${state}"]`);

/** Starts a run at a server. Returns its id. */
async function startAt(url: string, input: string): Promise<string> {
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: { yaml: passes }, input }),
  });
  return ((await response.json()) as { readonly runId: string }).runId;
}

describe('the dashboard', () => {
  it('recovers when Redis does not answer for some seconds, and keeps what is shown and typed', async () => {
    const { page } = dashboard;
    const question = `${await dashboard.start(asks)}.a1`;
    const other = await dashboard.context.newPage();
    await other.goto(dashboard.url(`/ui/inbox/${question}`));
    const article = other.getByRole('article');
    await article.getByRole('textbox').fill('ACCEPT');
    const run = await dashboard.start(passes, { input: 'Before' });
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('link', { name: 'Before' }).waitFor();
    const redis = connect(dashboard.api.redis.url, 'test');
    await redis.client('PAUSE', 8_000, 'ALL');

    await page.getByLabel('Search runs').fill('befo');
    await page.keyboard.press('Enter');

    await article.getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('alert').getByText('REDIS', { exact: false }).first().waitFor();
    await page.getByText('The server does not reach Redis.').waitFor();
    await connection('reconnecting').waitFor();
    await article.getByRole('alert').getByText('Redis does not answer.').waitFor();
    expect(await article.getByRole('textbox').inputValue()).toBe('ACCEPT');
    await page.locator(`tr[data-run="${run}"]`).waitFor({ timeout: 25_000 });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await connection('live').waitFor();
    redis.disconnect();
    dashboard.expectErrors('503');
  });

  it('repeats an action that has failed, on request, and keeps the height of the buttons beside its message', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(asks, { input: 'To be paused' });
    await page.goto(dashboard.url(`/ui/runs/${run}`));
    const pause = page.getByRole('button', { name: 'Pause', exact: true });
    const height = (await pause.boundingBox())?.height;
    const refusal = {
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 409, code: 'RUN_BUSY', detail: 'Something else goes on.', title: '', type: '' }),
    };
    await page.route('**/pause', (route) => route.fulfill(refusal), { times: 1 });
    dashboard.expectErrors('409');

    await pause.click();
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect((await pause.boundingBox())?.height).toBe(height);
    await again.click();

    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('reports an outage of the server, keeps its contents, and misses nothing afterwards', async () => {
    const { page, api } = dashboard;
    const port = Number(new URL(api.orchestrator.url).port);
    const elsewhere = await api.another();
    const before = await dashboard.start(passes, { input: 'Seen before' });
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('link', { name: 'Seen before' }).waitFor();
    await connection('live').waitFor();

    await api.orchestrator.close();
    await connection('reconnecting').waitFor();
    await page.getByText('The server does not answer.').waitFor();
    await page.locator(`tr[data-run="${before}"]`).waitFor();
    const meanwhile = await startAt(elsewhere.url, 'Started meanwhile');
    await api.another(port);

    await page.locator(`tr[data-run="${meanwhile}"]`).getByText('completed').waitFor({ timeout: 25_000 });
    await page.getByText('The server does not answer.').waitFor({ state: 'detached' });
    await connection('live').waitFor();
    const shown = await page.locator('tr[data-run]').evaluateAll((rows) => rows.map((row) => row.dataset['run']));
    expect(new Set(shown).size).toBe(shown.length);
    dashboard.expectErrors('Failed to load resource');
  });
});
