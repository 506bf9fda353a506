import { describe, expect, it } from 'vitest';
import { violationsOn } from '../../../support/browser/accessibility.ts';
import { comparedRow, finishedRun, talk } from '../../../support/browser/compared-runs.ts';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import { mainThreadMs } from '../../../support/browser/task-duration.ts';

const dashboard = useDashboard();

const finished = (yaml: string, input?: string) => finishedRun(dashboard, yaml, input);
const rowOf = (node: string) => comparedRow(dashboard, node);

const post = (path: string, body: object) => dashboard.send('POST', path, body);

async function forked(run: string, at: string, output: string): Promise<string> {
  const { runId } = await post(`/v1/runs/${run}/fork`, { at, output });
  await fetch(dashboard.url(`/v1/runs/${String(runId)}?wait=60s`));
  return String(runId);
}

describe('two runs beside each other', () => {
  it('have their pairs in a list, their texts in a drawer, and what differs alone if wanted', async () => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await forked(a, 'a2', 'Read it <img src=x onerror=alert(1)> again, please.');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}`));
    await rowOf('Reviewer').getByRole('button', { name: 'Reviewer' }).click();

    const drawer = page.getByRole('complementary', { name: 'Reviewer' });
    const output = drawer.getByRole('region', { name: 'Output' });
    await output.locator('ins', { hasText: 'please' }).waitFor();
    await output.getByText('<img src=x').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Differences' }).click();
    await expect.poll(() => rowOf('Writer').count()).toBe(0);
    await page.getByRole('button', { name: '1 activation in common' }).waitFor();
    await page.getByRole('table', { name: 'Totals' }).getByRole('row', { name: 'Activations' }).waitFor();
  });

  it('share one graph, in which each node shows how its activations compare', async () => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await forked(a, 'a2', 'ACCEPT');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}?view=graph`));

    await page.getByRole('button', { name: 'Mend, literal, 1 only A' }).waitFor();
    await page.getByRole('button', { name: 'Writer, agent, 1 same' }).waitFor();
    await page.getByRole('button', { name: 'Reviewer, agent, 1 changed' }).click();
    await rowOf('Reviewer').getByText('changed').waitFor();
  });

  it('may have different texts: nodes are paired by their ids, settings and lines are compared', async () => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await finished(talk.replace('first draft', 'second draft').replaceAll('Mend', 'Repair'), 'Another task');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}`));
    await rowOf('Writer').getByText('changed').waitFor();
    await rowOf('Mend').getByText('only A').waitFor();
    await rowOf('Repair').getByText('only B').waitFor();

    await page.getByRole('button', { name: 'Settings' }).click();

    await page.getByRole('row', { name: 'Task' }).getByText('changed').waitFor();
    await page.getByText('A second draft of words.').waitFor();
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByRole('button', { name: 'Repair, literal, only B has it, 1 only B' }).waitFor();
  });

  it('differ from a replay, for which nothing was called', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    const { runId } = await post(`/v1/runs/${run}/replay`, {});
    await fetch(dashboard.url(`/v1/runs/${String(runId)}?wait=60s`));
    await page.goto(dashboard.url(`/ui/runs/${String(runId)}/graph`));
    await page.getByText('nothing was asked, $0 paid').waitFor();
    await page.getByText(/\d+ calls? from the recording.*, not charged/).waitFor();
    await page.goto(dashboard.url(`/ui/runs/${String(runId)}/journal`));
    await page.getByText('receives an answer from the recording').first().waitFor();

    await page.getByRole('link', { name: 'Compare' }).click();

    await page.getByText('nothing was asked, nothing paid').waitFor();
    await rowOf('Final').getByText('same').waitFor();
    expect(await page.getByRole('table', { name: 'Activations' }).getByText('changed').count()).toBe(0);
  });

  it('are chosen in the list of runs', async () => {
    const { page } = dashboard;
    const [a, b] = [await finished(talk, 'The older one'), await finished(talk, 'The newer one')];
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('checkbox', { name: 'Select The newer one' }).check();
    await page.getByRole('checkbox', { name: 'Select The older one' }).check();

    await page.getByRole('link', { name: 'Compare' }).click();

    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/ui/runs/${a}/compare/${b}`);
  });

  it('may have 10,000 activations each: few elements are in the page, wherever one scrolls', async () => {
    const { page } = dashboard;
    const [a, b] = [await finished(talk), await finished(talk)];
    const count = 10_000;
    await page.route('**/v1/runs/*/timeline**', (route) => {
      const isA = route.request().url().includes(a);
      const numbers = Array.from({ length: count }, (_, at) => at + 1);
      const zeros = numbers.map(() => 0);
      const body = {
        firstAt: 1,
        nodes: [{ graph: '', node: 'Each' }],
        states: ['completed'],
        id: numbers,
        node: zeros,
        state: zeros,
        ready: zeros,
        started: zeros,
        settled: numbers.map(() => 5),
        unit: numbers.map((number) => number - 1),
        iteration: [],
        microUsd: [],
        head: numbers.map((number) => `output ${number}`),
        digest: numbers.map((number) => (number % 100 === 0 && isA ? 'other' : `d${number}`)),
        nextCursor: null,
      };
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
    });

    const spentMs = await mainThreadMs(page, async () => {
      await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}`));
      await page.getByText('9,900').waitFor();
      await rowOf('unit 1').first().waitFor();
    });

    const table = page.getByRole('table', { name: 'Activations' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
    await page.mouse.wheel(0, 10_000_000);
    await rowOf('unit 10000').getByText('changed').waitFor();
    await expect.poll(() => page.locator('*').count()).toBeLessThan(900);
    expect(spentMs).toBeLessThan(1_500);
  });

  it('are refused where one of them does not exist', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/compare/run_nobody`));

    await page.getByText('RUN_UNKNOWN').waitFor();
    dashboard.expectErrors('404');
  });

  it.each(['steps', 'graph', 'settings'])('violate no rule of WCAG that axe knows: %s', async (view) => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await forked(a, 'a2', 'ACCEPT');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}?view=${view}${view === 'steps' ? '&a=a2&b=a2' : ''}`));
    await page
      .getByText(view === 'settings' ? 'Both runs have the same text.' : 'changed')
      .last()
      .waitFor();

    expect(await violationsOn(page)).toEqual([]);
  });
});
