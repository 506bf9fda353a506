import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';

const asks = 'graph: { id: question, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';
const passes = 'graph: { id: passes, nodes: [{ id: Say, type: passthrough, config: {} }] }';
/** Fails at its first call, and not when it is retried. */
const shaky = `
graph:
  id: shaky
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: { rules: [{ when: { call: 1 }, replies: [{ error: { status: 400, message: refused } }] }], default: fine }
`;
const dashboard = useDashboard();

const rowOf = (run: string) => dashboard.page.locator(`tr[data-run="${run}"]`);
const rows = () => dashboard.page.locator('tr[data-run]');
const search = () => dashboard.page.getByLabel('Search runs');
const live = () => dashboard.page.locator('[data-connection="live"]').waitFor();

/** Opens the runs with a tag, which only those of one test have. */
async function openList(tag: string, more = ''): Promise<void> {
  await dashboard.page.goto(dashboard.url(`/ui/runs?tag=${tag}${more}`));
  await dashboard.page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await live();
}

async function statusOf(run: string): Promise<unknown> {
  return (await dashboard.api.runtime.runs.describe(run))?.status;
}

describe('the list of runs', () => {
  it('shows runs as they start and change, without polling', async () => {
    const { page } = dashboard;
    await openList('live');

    const run = await dashboard.start(asks, { tags: ['live'], input: 'Seen at once' });
    await rowOf(run).getByText('waiting').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await dashboard.api.runtime.runs.cancel(run, 'by a test');
    await rowOf(run).getByText('cancelled', { exact: true }).waitFor();

    expect(asked.filter((path) => path === '/v1/runs')).toEqual([]);
  });

  it('shows ages by the clock of the server, whatever the clock of the browser is', async () => {
    const page = await dashboard.ownPage();
    const run = await dashboard.start(asks, { tags: ['skew'] });
    await page.clock.install({ time: Date.now() + 3_600_000 });

    await openList('skew');

    await rowOf(run)
      .getByText(/^(now|\d+ s ago)$/)
      .waitFor();
  });

  it('collects new runs while the pointer is in it, so that no row moves', async () => {
    const { page } = dashboard;
    const first = await dashboard.start(passes, { tags: ['hold'] });
    await openList('hold');
    await rowOf(first).getByText('completed').waitFor();
    await rowOf(first).hover();
    const before = await rowOf(first).boundingBox();

    const second = await dashboard.start(passes, { tags: ['hold'] });
    const collected = page.getByRole('button', { name: '1 new' });
    await collected.waitFor();

    expect(await rowOf(first).boundingBox()).toEqual(before);
    await collected.click();
    await rowOf(second).waitFor();
    expect(await rows().first().getAttribute('data-run')).toBe(second);
  });

  it('can be paused, counts missed changes, and catches up', async () => {
    const { page } = dashboard;
    await openList('still');
    await page.keyboard.press('l');
    await page.locator('[data-connection="still"]').waitFor();

    const run = await dashboard.start(passes, { tags: ['still'] });

    await page.getByText('1 new').waitFor();
    expect(await rowOf(run).count()).toBe(0);
    await page.keyboard.press('l');
    await rowOf(run).getByText('completed').waitFor();
  });

  it('counts the runs of each status', async () => {
    const { page } = dashboard;
    await openList('counted');
    await dashboard.start(asks, { tags: ['counted'] });
    await dashboard.start(asks, { tags: ['counted'] });

    await page.getByRole('link', { name: 'waiting 2' }).waitFor();
    await page.getByRole('link', { name: 'with questions 2' }).waitFor();
  });

  it('shows hostile titles, tags and names as text', async () => {
    const { page } = dashboard;
    const hostile = '<img src=x onerror="document.body.dataset.owned=1">';
    const tag = '</td><script>alert(1)';
    const yaml = `graph: { id: "javascript:alert(1)", nodes: [{ id: Say, type: passthrough, config: {} }] }`;
    const run = await dashboard.start(yaml, { tags: ['hostile', tag], input: hostile });
    await openList('hostile');

    await rowOf(run).getByRole('link', { name: hostile }).waitFor();
    await rowOf(run).getByRole('link', { name: tag }).click();

    await page.getByRole('button', { name: `tag: ${tag}` }).waitFor();
    await rowOf(run).waitFor();
    expect(await page.locator('body[data-owned]').count()).toBe(0);
  });
});

describe('the filter of the list', () => {
  it('is in the address, survives a reload, and is undone by going back', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(asks, { tags: ['kept'] });
    await openList('kept');
    await rowOf(run).waitFor();

    await page.getByRole('link', { name: /^failed/ }).click();
    await page.getByText('No run matches these filters.').waitFor();
    await page.reload();
    await page.getByText('No run matches these filters.').waitFor();
    expect(new URL(page.url()).search).toBe('?tag=kept&status=failed');
    await page.goBack();

    await rowOf(run).waitFor();
  });

  it('finds by words, and exactly by tag, workflow and time, and is cleared at once', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(passes, { tags: ['zoo'], input: 'Zebras at the river' });
    await page.goto(dashboard.url('/ui/runs'));

    await search().fill('since:yesterday zebra');
    await search().press('Enter');
    await page.getByRole('alert').getByText('"since:yesterday" was not understood').waitFor();
    for (const words of ['zeb riv tag:zoo', 'workflow:passes since:1h']) {
      await search().fill(words);
      await search().press('Enter');
    }

    await page.getByRole('button', { name: 'search: zeb riv' }).waitFor();
    await expect.poll(() => rows().count()).toBe(1);
    await rowOf(run).waitFor();
    await page.getByRole('button', { name: 'since: 1h' }).click();
    await page.getByRole('button', { name: 'since: 1h' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => rows().count()).toBeGreaterThan(1);
    expect(new URL(page.url()).search).toBe('');
  });

  it('shows no runs for an address with a filter that is malformed', async () => {
    const { page } = dashboard;
    await dashboard.start(passes, { tags: ['odd'] });

    await page.goto(dashboard.url('/ui/runs?tag=odd&since=tomorrow&limit=7'));

    dashboard.expectErrors('Failed to load resource');
    await page.getByText('INPUT_INVALID').or(page.getByText(/since/)).first().waitFor();
    expect(await rows().count()).toBe(0);
  });
});

describe('the keyboard in the list', () => {
  it('moves, selects a range, cancels it after a confirmation, and opens a run', async () => {
    const { page } = dashboard;
    const runs = [];
    for (const input of ['One', 'Two', 'Three']) runs.push(await dashboard.start(asks, { tags: ['keys'], input }));
    await openList('keys');
    await rowOf(runs[0] ?? '')
      .getByText('waiting')
      .waitFor();

    for (const key of ['j', 'x', 'j', 'X']) await page.keyboard.press(key);
    await page.getByText('2 runs selected').waitFor();
    await page.getByRole('button', { name: 'Cancel 2' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel 2 runs?' });
    await dialog.getByRole('button', { name: 'Cancel 2 runs' }).press('Enter');

    await page.getByText('Cancelled 2 runs.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await Promise.all(runs.map(statusOf))).toEqual(['waiting', 'cancelled', 'cancelled']);
    for (const key of ['j', 'j', 'j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: 'One' }).waitFor();
  });

  it('goes to the field for a slash, and clears the filter for Escape', async () => {
    const { page } = dashboard;
    await openList('slash');
    await page.getByText('No run matches these filters.').waitFor();

    await page.keyboard.press('/');
    await page.locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear all filters' }).click();

    await expect.poll(() => new URL(page.url()).search).toBe('');
  });
});

describe('the keyboard alone', () => {
  it('leads from the list through a run to an answered question', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(asks, { tags: ['by-keys'], input: 'By keys' });
    await openList('by-keys');
    await rowOf(run).getByText('waiting').waitFor();

    for (const key of ['j', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: 'By keys' }).waitFor();
    await page.getByRole('article').getByRole('textbox').waitFor();
    const field = page.locator('article textarea:focus');
    for (let tabs = 0; tabs < 60 && (await field.count()) === 0; tabs += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('yes');
    await page.keyboard.press('Control+Enter');

    await page.getByLabel('Facts').getByText('completed').waitFor();
    expect(await statusOf(run)).toBe('completed');
  });
});

describe('the columns of the list', () => {
  it('stay hidden after a reload', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(passes, { tags: ['columns'] });
    await openList('columns');
    await rowOf(run).waitFor();

    await page.getByLabel('Columns').first().click();
    await page.getByRole('checkbox', { name: 'Workflow' }).uncheck();
    await page.reload();
    await rowOf(run).waitFor();

    expect(await page.getByRole('columnheader', { name: 'Workflow' }).count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Cost' }).count()).toBe(1);
    await page.getByLabel('Columns').first().click();
    await page.getByRole('checkbox', { name: 'Workflow' }).check();
    await page.getByRole('columnheader', { name: 'Workflow' }).waitFor();
  });
});

describe('the head of the list', () => {
  const costing = (words: number) => `
graph:
  id: costing
  prices: { m: { input: 1000, output: 1000 } }
  nodes: [{ id: A, type: agent, config: { provider: scripted, name: m, params: { default: "${'word '.repeat(words)}" } } }]
`;

  it('sorts the runs of the filter by cost, says so, and stays while they are scrolled', async () => {
    const { page } = dashboard;
    for (const words of [5, 40, 1]) {
      const run = await dashboard.start(costing(words), { tags: ['sorted'], input: `${words} words` });
      await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
    }
    await openList('sorted');
    const titles = () => rows().getByRole('link').filter({ hasText: 'words' }).allTextContents();

    await page.getByRole('button', { name: 'Cost' }).click();

    await page.getByText('All runs by cost, as of').waitFor();
    await expect.poll(titles).toEqual(['40 words', '5 words', '1 words']);
    await page.getByRole('columnheader', { name: 'Cost' }).and(page.locator('[aria-sort="descending"]')).waitFor();
    await page.setViewportSize({ width: 1280, height: 140 });
    await page.mouse.wheel(0, 400);
    await expect
      .poll(async () => (await page.getByRole('table', { name: 'Runs' }).locator('thead').boundingBox())?.y)
      .toBe(0);
    await page.setViewportSize({ width: 1280, height: 720 });

    await page.getByRole('button', { name: 'Cost' }).click();
    await expect.poll(titles).toEqual(['1 words', '40 words', '5 words']);
  });

  it('has rows of 32 pixels, or of two lines for those who prefer them', async () => {
    const page = await dashboard.ownPage();
    const run = await dashboard.start(asks, { tags: ['dense'] });
    const height = async () => (await rowOf(run).boundingBox())?.height;
    await openList('dense');
    await expect.poll(height).toBe(32);

    await page.goto(dashboard.url('/ui/settings/appearance'));
    await page.getByRole('radio', { name: 'Two lines' }).check();
    await openList('dense');

    await expect.poll(height).toBe(52);
  });
});

describe('the menu of filters', () => {
  it('builds a filter for those who do not know its name', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(passes, { tags: ['menu'], input: 'A text about rhubarb' });
    await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
    await page.goto(dashboard.url('/ui/runs'));

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const form = page.getByRole('form', { name: 'Filters' });
    await form.getByLabel('Task or result contains').fill('rhubarb');
    await form.getByLabel('Started', { exact: true }).selectOption('in the last 24 hours');
    await form.getByLabel('Tag').fill('menu');
    await form.getByRole('button', { name: 'Show runs' }).click();

    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ text: 'rhubarb', since: '24h', tag: 'menu' });
    await rowOf(run).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await form.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });
});

describe('bulk actions', () => {
  it('retry all failed runs of the filter, and show their progress', async () => {
    const { page } = dashboard;
    const runs = [await dashboard.start(shaky, { tags: ['order'] }), await dashboard.start(shaky, { tags: ['order'] })];
    await openList('order', '&status=failed');
    await expect.poll(() => rows().count()).toBe(2);

    await page.getByLabel('Select all loaded runs').check();
    await page.getByRole('button', { name: 'Select all that this filter finds' }).click();
    await page.getByRole('button', { name: 'Retry 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 2 runs' }).click();
    await page.getByRole('link', { name: /watch its progress|see its page/ }).click();

    await page.getByText('finished').waitFor();
    await page.getByText('2 runs', { exact: true }).waitFor();
    await expect.poll(() => Promise.all(runs.map(statusOf))).toEqual(['completed', 'completed']);
  });

  it('show why they are not possible', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(passes, { tags: ['ended'] });
    await openList('ended');
    await rowOf(run).getByText('completed').waitFor();

    await rowOf(run).getByRole('checkbox').check();

    await page.getByRole('button', { name: 'None of them can be cancelled.' }).waitFor();
    await page.getByRole('button', { name: 'None of them can be retried.' }).waitFor();
  });
});

describe('several tabs', () => {
  it('share one stream, and another tab takes it over when the first is closed', async () => {
    const { context, page } = dashboard;
    let streams = 0;
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/events') streams += 1;
    });
    await openList('tabs');
    const others = [await context.newPage(), await context.newPage()];
    for (const other of others) {
      await other.goto(dashboard.url('/ui/runs?tag=tabs'));
      await other.locator('[data-connection="live"]').waitFor();
    }
    expect(streams).toBe(1);

    const run = await dashboard.start(passes, { tags: ['tabs'] });
    for (const tab of [page, ...others]) await tab.locator(`tr[data-run="${run}"]`).getByText('completed').waitFor();
    await page.close();
    await expect.poll(() => streams).toBe(2);
    const next = await dashboard.start(passes, { tags: ['tabs'] });

    for (const tab of others) await tab.locator(`tr[data-run="${next}"]`).getByText('completed').waitFor();
  });
});
