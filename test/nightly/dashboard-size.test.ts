import { createVocabulary } from '@millrace/catalog';
import { beforeAll, describe, expect, it } from 'vitest';
import { completed } from '../support/browser/completed.ts';
import { useDashboard } from '../support/browser/dashboard.ts';
import { mainThreadMs } from '../support/browser/task-duration.ts';
import { workflowIn } from '../support/runs/stage.ts';

/*
 * Sizes at which pages of other systems freeze. Times are CPU times of the main thread of the page, so that a busy machine
 * does not fail them. It makes them longer by up to half, as others use the same caches: the least of some rounds counts.
 */

/** A busy machine may take a hundred times as long as its processors do. */
const dashboard = useDashboard({ waitMs: 120_000 });

const elements = () => dashboard.page.locator('*').count();

const tab = (name: string) =>
  dashboard.page.getByRole('navigation', { name: 'Views of the run' }).getByRole('link', { name });

/**
 * Opens a tab of the page, and waits until it has a text. Locators look at the page again and again, which takes as long as
 * the page itself.
 */
const openUntil = (name: string, text: string): Promise<void> =>
  tab(name).evaluate(
    (link, wanted) =>
      new Promise<void>((shown) => {
        const { body, defaultView: window } = link.ownerDocument;
        if (window === null) return;
        const observer = new window.MutationObserver(() => {
          if (!body.textContent.includes(wanted)) return;
          observer.disconnect();
          shown();
        });
        observer.observe(body, { childList: true, subtree: true, characterData: true });
        link.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, button: 0 }));
      }),
    text,
  );

const units = (count: number): string => `graph:
  id: units
  nodes:
    - { id: Lines, type: passthrough, config: {} }
    - { id: Each, type: passthrough, config: {} }
  edges:
    - { from: Lines, to: Each, dynamic: { type: map, config: { split_type: lines, max_parallel: ${count} } } }
`;

it('returns the timeline of 3,002 activations in a few kilobytes', { timeout: 600_000 }, async () => {
  const run = await dashboard.start(units(3000), {
    input: Array.from({ length: 3000 }, (_, at) => `line ${at}`).join('\n'),
  });
  await completed(dashboard, run);

  let text = '';
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = process.cpuUsage();
    const response = await fetch(dashboard.url(`/v1/runs/${run}/timeline`));
    text = await response.text();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }

  expect(text.length).toBeLessThan(100_000);
  expect(Math.min(...times), 'ms of this process, server and client').toBeLessThan(300);
});

const loop = `graph:
  id: turning
  start: [Speaker]
  end: [End]
  nodes:
    - { id: Speaker, type: literal, config: { content: turn } }
    - { id: Guard, type: loop_counter, config: { max_iterations: 5000 } }
    - { id: End, type: passthrough, config: {} }
  edges:
    - { from: Speaker, to: Guard, clear_context: true }
    - { from: Guard, to: Speaker }
    - { from: Speaker, to: Speaker, clear_context: true }
    - { from: Guard, to: End }
`;

describe('a run whose journal is too long for a page', () => {
  let run: string;
  beforeAll(async () => {
    run = await dashboard.start(loop);
    await completed(dashboard, run);
  }, 900_000);

  const open = (tab: string) => dashboard.page.goto(dashboard.url(`/ui/runs/${run}/${tab}`));
  const node = (id: string) => dashboard.page.locator(`[data-node="${id}"]`);
  const slider = () => dashboard.page.getByRole('slider', { name: 'Event of the journal' });

  /** Returns how often a node had run after an event, as the server tells it. */
  async function runsOf(id: string, at: string): Promise<number | undefined> {
    const response = await fetch(dashboard.url(`/v1/runs/${run}/graph?at=${at}`));
    const { graphs } = (await response.json()) as {
      readonly graphs: readonly { readonly nodes: readonly { readonly id: string; readonly runs: number }[] }[];
    };
    return graphs[0]?.nodes.find((one) => one.id === id)?.runs;
  }

  it('is drawn with few elements, and never loaded whole', async () => {
    const { page } = dashboard;
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) requests += 1;
    });

    await open('graph');
    await node('Speaker').getByText('5,000 runs').waitFor();
    await slider().waitFor();

    expect(await elements()).toBeLessThan(1500);
    expect(requests).toBeLessThan(20);
  });

  it('is looked at as of any event, as the server has it', async () => {
    const { page } = dashboard;
    await open('graph');
    await expect.poll(() => slider().getAttribute('aria-valuetext')).toMatch(/^Commit [\d,]+ of/);

    for (const key of ['[', '[']) {
      await page.keyboard.press(key);
      await page.getByText(/as of .*, not live/).waitFor();
    }
    await slider().fill('3000');

    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^3000-/);
    const runs = await runsOf('Speaker', '3000-999');
    expect(runs).toBeLessThan(5000);
    await node('Speaker')
      .getByText(`${runs?.toLocaleString('en')} runs`)
      .waitFor();
    await page.keyboard.press(']');
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^3001-0$/);
    await page.keyboard.press('}');
    await node('Speaker').getByText('5,000 runs').waitFor();
  });

  it('is followed by its events while it executes, and its graphs are not read again', async () => {
    const { page } = dashboard;
    let read = 0;
    page.on('request', (request) => {
      if (/\/graph(\?|$)/.test(request.url())) read += 1;
    });
    const live = await dashboard.start(loop);

    await page.goto(dashboard.url(`/ui/runs/${live}/graph`));
    await node('Speaker').getByText('5,000 runs').waitFor({ timeout: 900_000 });

    // Once when the page opens, and once with the state where the journal is too long by then.
    expect(read).toBeLessThanOrEqual(2);
  }, 900_000);

  it('shows the density of its events, counted by the server, behind the slider', async () => {
    const counted = (await (await fetch(dashboard.url(`/v1/runs/${run}/density`))).json()) as {
      readonly events: readonly number[];
    };
    await open('graph');
    const bars = dashboard.page.locator('section[aria-label="Time"] svg rect');
    await bars.first().waitFor();

    expect(await bars.count()).toBe(counted.events.length);
    expect(counted.events.length).toBeGreaterThan(100);
    expect(counted.events.reduce((total, count) => total + count, 0)).toBeGreaterThan(5000);
  });

  it('shows an iteration, and the activations of a node, wherever they are', async () => {
    const { page } = dashboard;
    await open('graph?iteration=17&loop=Speaker&n=Guard');

    await page.locator('[data-node="End"][data-dimmed="true"]').waitFor();
    await page.locator('[data-node="Speaker"][data-dimmed="false"]').waitFor();
    const panel = page.getByRole('complementary', { name: 'Node Guard' });
    await panel.getByText(/^a\d+ · [\d,]+ of 5,000/).waitFor();
    await panel.getByRole('button', { name: 'Look for earlier activations' }).click();
    await panel.getByRole('button', { name: 'Activation before' }).click();

    await panel.getByText('4,999 of 5,000').waitFor();
  });

  it('has its conversation from its end, or from an event, backwards', async () => {
    const { page } = dashboard;
    await open('conversation');
    // It opens where it ends, not at the oldest part that was loaded.
    const newest = page.getByRole('list', { name: 'Conversation' }).getByRole('listitem').last();
    await expect
      .poll(async () => (await newest.getAttribute('aria-posinset')) === (await newest.getAttribute('aria-setsize')))
      .toBe(true);
    await newest.waitFor();
    await page.getByRole('button', { name: 'Load what was said before' }).click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('iteration').first().waitFor();

    await open('conversation?at=9-0');
    await page.getByRole('status').getByTitle('Id in the journal: 9-0').waitFor();

    expect(await page.getByRole('button', { name: 'Load what was said before' }).count()).toBe(0);
    await page.getByRole('list', { name: 'Conversation' }).getByText('A text').waitFor();
  });

  it('has its bill as of an event', async () => {
    const { page } = dashboard;
    await open('money?at=3000-0');

    await page.getByRole('status').getByTitle('Id in the journal: 3000-0').waitFor();
    await page.getByText('No node of this run has asked a model.').waitFor();
  });
});

describe('a run of 10,000 activations', () => {
  it('has a timeline of few elements, drawn in a fifth of a second', { timeout: 900_000 }, async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at}`).join('\n');
    const run = await dashboard.start(units(10_000), { input: lines });
    await completed(dashboard, run);
    const { page } = dashboard;
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await page.goto(dashboard.url(`/ui/runs/${run}/files`));
      await page.getByText('No node of this run has written a file.').waitFor();
      times.push(await mainThreadMs(page, () => openUntil('timeline', '10,000 ✓')));
    }
    await page.getByRole('button', { name: 'Each', expanded: false }).click();
    await page.getByText('unit 1', { exact: false }).first().waitFor();

    expect(Math.min(...times)).toBeLessThan(200);
    expect(await page.getByRole('table', { name: 'Timeline' }).getByRole('row').count()).toBeLessThanOrEqual(60);
    expect(await elements()).toBeLessThan(1500);
  });
});

describe('a message of 5 MB', () => {
  it('is opened by its beginning, and loaded step by step', { timeout: 600_000 }, async () => {
    const text = 'graph: { id: long, nodes: [{ id: Say, type: passthrough, config: {} }] }';
    const workflow = workflowIn(text, createVocabulary());
    const run = await dashboard.api.runtime.runs.start({ workflow, input: 'word '.repeat(1_000_000) });
    await completed(dashboard, run);
    const { page } = dashboard;
    let bytes = 0;
    page.on('response', (response) => {
      if (response.url().includes('/v1/')) bytes += Number(response.headers()['content-length'] ?? 0);
    });
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a1`));
    const input = page.getByRole('region', { name: 'Output' });

    await input.getByRole('button', { name: 'Load 32 KB' }).click();
    await input.getByRole('button', { name: /^Show all 32,76\d characters$/ }).waitFor();
    expect(bytes).toBeLessThan(200_000);
    const ms = await mainThreadMs(page, async () => {
      await input.getByRole('button', { name: /^Load all 5 MB|^Load all 4\.\d MB/ }).click();
      await input.getByRole('button', { name: /^Show all 5,000,000 characters$/ }).waitFor();
    });

    expect(ms).toBeLessThan(1_000);
  });
});

describe('a list of 100,000 runs', () => {
  const count = 100_000;
  beforeAll(async () => {
    const text = 'graph: { id: many, nodes: [{ id: Ask, type: human, config: { description: "?" } }] }';
    const workflow = workflowIn(text, createVocabulary());
    const { runs } = dashboard.api.runtime;
    for (let at = 0; at < count; at += 500)
      await Promise.all(Array.from({ length: 500 }, (_, more) => runs.start({ workflow, input: `Task ${at + more}` })));
  }, 1_800_000);

  it('is shown at once, and scrolls with few elements', { timeout: 600_000 }, async () => {
    const { page } = dashboard;
    const shown = await mainThreadMs(page, async () => {
      await page.goto(dashboard.url('/ui/runs'));
      await page.locator('tr[data-run]').first().waitFor();
    });
    const medians: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const steps: number[] = [];
      for (let step = 0; step < 30; step += 1)
        steps.push(await mainThreadMs(page, () => page.mouse.wheel(0, round === 1 ? -400 : 400)));
      steps.sort((one, other) => one - other);
      medians.push(steps[15] ?? Number.NaN);
    }

    expect(shown).toBeLessThan(1_000);
    expect(Math.min(...medians)).toBeLessThan(20);
    await expect.poll(elements).toBeLessThan(700);
  });
});
