import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';

const dashboard = useDashboard();

const units = 300;
const wide = `
graph:
  id: wide
  nodes:
    - { id: Source, type: literal, config: { content: '${JSON.stringify(Array.from({ length: units }, (_, at) => `part ${at}`))}' } }
    - { id: Work, type: passthrough, config: {} }
  edges:
    - { from: Source, to: Work, dynamic: { type: map, config: { split_type: json_array, max_parallel: 50 } } }
`;
const talk = `
graph:
  id: talk
  nodes:
    - id: Writer
      type: agent
      config: { provider: scripted, name: parrot, params: { default: "# Title\\n\\n**bold** words" } }
    - { id: Secret, type: literal, log_output: false, config: { content: Nobody reads this } }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
  edges: [{ from: Writer, to: Secret }, { from: Secret, to: Reviewer }]
`;
const fails = `
graph:
  id: fails
  nodes:
    - id: Read
      type: agent
      config:
        provider: scripted
        name: m
        params: { rules: [{ replies: [{ error: { type: AuthenticationError, status: 401, message: "The key was refused." } }] }] }
`;

/** Opens a tab of a new run once the run is idle. */
async function open(yaml: string, tab: string): Promise<string> {
  const run = await dashboard.start(yaml);
  await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  await dashboard.page.goto(dashboard.url(`/ui/runs/${run}/${tab}`));
  return run;
}

const search = () => new URL(dashboard.page.url()).searchParams;

describe('the timeline', () => {
  it('folds the units of a fan-out with their percentiles, and unfolds them with only the visible rows in the page', async () => {
    const { page } = dashboard;
    await open(wide, 'timeline');
    const table = page.getByRole('table', { name: 'Timeline' });
    await table.getByText(`${units} ✓`).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('4');

    await table.getByRole('button', { name: 'Work', expanded: false }).click();

    await table.getByText('unit 1', { exact: false }).first().waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe(String(units + 4));
    expect(await table.getByRole('row').count()).toBeLessThanOrEqual(60);
  });

  it('moves its window with keys and buttons, keeps it in the address, and lets it follow again', async () => {
    const { page } = dashboard;
    await open(wide, 'timeline');
    const overview = page.getByRole('group', { name: /^Overview/ });
    await overview.focus();

    await page.keyboard.press('+');

    await expect.poll(() => search().get('window')).toMatch(/^"?\d+-\d+/);
    await page.reload();
    await page.getByRole('button', { name: 'Fit visible', pressed: false }).click();
    await expect.poll(() => search().get('window')).toBeNull();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => search().get('window')).not.toBeNull();
  });

  it('reports that no activation has failed, and shows all again', async () => {
    const { page } = dashboard;
    await open(wide, 'timeline');

    await page.getByRole('button', { name: 'Failed only' }).click();

    await page.getByText('No activation of this run has failed.').waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByRole('table', { name: 'Timeline' }).waitFor();
  });
});

describe('the activations of a run', () => {
  it('are filtered by node, sorted, and virtualised', async () => {
    const { page } = dashboard;
    await open(wide, 'activations');
    const table = page.getByRole('table', { name: 'Activations' });
    await table.waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe(String(units + 3));
    expect(await table.getByRole('row').count()).toBeLessThanOrEqual(60);

    await page.getByLabel('Node').selectOption('Source');

    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('2');
    expect(search().get('node')).toBe('Source');
    await page.getByLabel('Sort').selectOption('took');
    await expect.poll(() => search().get('sort')).toBe('took');
  });

  it('open beside the table with the keyboard, and return the focus', async () => {
    const { page } = dashboard;
    await open(talk, 'activations');
    await page.getByRole('cell', { name: /bold/ }).first().waitFor();
    const row = page.getByRole('button', { name: 'a1', exact: true });
    await row.focus();

    await page.keyboard.press('Enter');

    const drawer = page.getByRole('complementary', { name: 'Writer · a1' });
    await drawer.getByRole('region', { name: 'Output' }).getByText('bold').waitFor();
    await drawer.getByText('chat parrot').waitFor();
    await drawer.getByRole('region', { name: 'Routes' }).getByRole('link', { name: 'Secret' }).waitFor();
    expect(search().get('a')).toBe('a1');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator(':focus').textContent()).toBe('a1');
  });
});

describe('the conversation of a run', () => {
  it('renders Markdown, has questions in their place, and counts hidden messages', async () => {
    const { page } = dashboard;
    await open(talk, 'conversation');
    const said = page.getByRole('list', { name: 'Conversation' });

    await said.getByRole('heading', { name: 'Title' }).waitFor();
    await said.getByText('Is it good?').waitFor();
    await page.getByText('1 hidden by the author').waitFor();
    expect(await said.getByText('Nobody reads this').count()).toBe(0);
  });

  it('shows the messages up to an event', async () => {
    const { page } = dashboard;
    const run = await open(talk, 'conversation?at=1-1');

    await page.getByText('not live').waitFor();
    expect(await page.getByRole('list', { name: 'Conversation' }).getByRole('article').count()).toBe(1);
    await page.getByRole('button', { name: 'Show the present' }).click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('Is it good?').waitFor();
    expect(page.url()).toBe(dashboard.url(`/ui/runs/${run}/conversation`));
  });
});

describe('the journal of a run', () => {
  it('is read backwards, filtered, and opened as JSON', async () => {
    const { page } = dashboard;
    await open(talk, 'journal');
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await events.first().getByText('Reviewer asks: Is it good?').waitFor();

    await page.getByLabel('Type').selectOption('activation.completed');

    await expect.poll(() => events.count()).toBe(2);
    await events.last().getByRole('button').click();
    await events.last().getByText('"nodeId": "Writer"').waitFor();
    await events
      .last()
      .getByRole('link', { name: /^Link to event/ })
      .click();
    await expect.poll(() => search().get('at')).not.toBeNull();
    await page.getByRole('button', { name: 'Show the newest events' }).waitFor();
  });

  it('is loaded in parts, and downloaded as a whole', async () => {
    const { page } = dashboard;
    const run = await open(wide, 'journal');
    await page.getByText('run.finished').waitFor();
    expect(await page.getByRole('list', { name: 'Events' }).getByRole('listitem').count()).toBeLessThanOrEqual(60);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download JSONL' }).click();

    expect((await download).suggestedFilename()).toBe(`${run}.jsonl`);
  });
});

describe('the slider', () => {
  it('is in the window beneath the graph while an error is shown above the tabs', async () => {
    const { page } = dashboard;
    await page.setViewportSize({ width: 1280, height: 720 });
    await open(fails, 'graph');
    await page.getByLabel('Facts').getByRole('alert').waitFor();
    await page.getByRole('slider', { name: 'Event of the journal' }).waitFor();
    const edgesOf = (part: Locator) =>
      part.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return { top, bottom };
      });

    for (const height of [720, 900]) {
      await page.setViewportSize({ width: 1280, height });
      const time = await edgesOf(page.getByRole('region', { name: 'Time' }));
      const graph = await edgesOf(page.locator('.react-flow'));
      expect(time.bottom).toBeLessThanOrEqual(height);
      expect(time.bottom).toBeGreaterThan(height - 48);
      expect(time.top).toBeGreaterThanOrEqual(graph.bottom);
      expect(graph.bottom - graph.top).toBeGreaterThan(240);
    }
  });
});
