import { expect, it } from 'vitest';
import { completed } from '../support/browser/completed.ts';
import { useDashboard } from '../support/browser/dashboard.ts';
import { longestTaskMs, mainThreadMs } from '../support/browser/task-duration.ts';

/* Times are CPU times of the main thread of the page, so that a busy machine does not fail them. */

/** A busy machine may take a hundred times as long as its processors do. */
const waitMs = 120_000;
const dashboard = useDashboard({ waitMs });

const workflow = (nodes: number): string => {
  const ids = Array.from({ length: nodes }, (_, at) => `N${at}`);
  const lines = ids.map((id) => `    - { id: ${id}, type: passthrough, config: {} }`);
  const edges = ids.slice(1).map((id, at) => `    - { from: N${Math.floor(at / 3)}, to: ${id} }`);
  return [
    'graph:',
    '  id: wide',
    '  start: [N0]',
    `  end: [${ids.at(-1)}]`,
    '  nodes:',
    ...lines,
    '  edges:',
    ...edges,
  ].join('\n');
};

it.each([
  [50, 150],
  [200, 250],
  [500, 400],
])('draws a graph of %i nodes', async (nodes, limitMs) => {
  const run = await dashboard.start(workflow(nodes));
  await completed(dashboard, run);
  const times: number[] = [];
  const atOnce: number[] = [];
  const longest: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const context = await dashboard.browser.newContext();
    context.setDefaultTimeout(waitMs);
    const page = await context.newPage();
    await page.goto(dashboard.url(`/ui/runs/${run}/journal`));
    await page.getByText('run.finished').waitFor();
    const added = await page.evaluateHandle(nodesPerTask);
    const show = async () => {
      await page.getByRole('navigation', { name: 'Views of the run' }).getByRole('link', { name: 'graph' }).click();
      await page.locator(`[data-node="N${nodes - 1}"]`).waitFor({ state: 'attached' });
    };
    // A trace takes time itself, so the last round alone has one.
    if (round < 3) times.push(await mainThreadMs(page, show));
    else longest.push(await longestTaskMs(page, show));
    atOnce.push(...((await added.jsonValue()) as number[]));
    await context.close();
  }

  expect(Math.min(...times)).toBeLessThan(limitMs);
  expect(Math.max(...longest)).toBeLessThan(200);
  // No task draws so many that the page does not react meanwhile.
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(128);
});

/** Counts the nodes of graphs that each task of the page adds from now on. */
function nodesPerTask(): readonly number[] {
  const counts: number[] = [];
  const window = globalThis as unknown as { MutationObserver: MutationObserverLike; document: { body: object } };
  new window.MutationObserver((records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
    counts.push(
      added.reduce(
        (sum, node) =>
          sum + (node.matches?.('[data-node]') === true ? 1 : 0) + (node.querySelectorAll?.('[data-node]').length ?? 0),
        0,
      ),
    );
  }).observe(window.document.body, { childList: true, subtree: true });
  return counts;
}

/** What the test uses of the browser's observer; the types of tests are those of Node. */
type MutationObserverLike = new (
  react: (
    records: readonly {
      readonly addedNodes: Iterable<{
        matches?(selector: string): boolean;
        querySelectorAll?(selector: string): { readonly length: number };
      }>;
    }[],
  ) => void,
) => { observe(target: object, options: object): void };

const waiting = Array.from({ length: 20 }, (_, at) => `W${at}`);
const idle = Array.from({ length: 478 }, (_, at) => `P${at}`);
const gate = `graph:
  id: gate
  start: [Gate]
  end: [P477]
  nodes:
    - { id: Gate, type: human, config: { description: Go? } }
${waiting.map((id) => `    - { id: ${id}, type: wait_for, config: { event: go } }`).join('\n')}
    - { id: Hold, type: passthrough, config: {} }
${idle.map((id) => `    - { id: ${id}, type: passthrough, config: {} }`).join('\n')}
  edges:
${waiting.map((id) => `    - { from: Gate, to: ${id} }\n    - { from: ${id}, to: Hold }`).join('\n')}
${idle.map((id, at) => `    - { from: ${at === 0 ? 'Hold' : `P${Math.floor((at - 1) / 3)}`}, to: ${id} }`).join('\n')}
`;

it('changes 20 of 500 nodes', async () => {
  const run = await dashboard.start(gate);
  await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  const { page } = dashboard;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(dashboard.url(`/ui/runs/${run}/graph`));
  await page.locator('[data-node="Gate"][data-state="waiting"]').waitFor();
  await page.getByRole('slider').waitFor();
  await dashboard.api.runtime.runs.answer(
    run,
    { activation: 'a1' },
    {
      message: { role: 'user', content: 'go', source: 'TASK', keep: false },
    },
  );
  await page.locator('[data-node="W19"][data-state="waiting"]').waitFor();
  const slider = page.getByRole('slider', { name: 'Event of the journal' });
  const last = (await slider.getAttribute('max')) ?? '';
  await slider.fill('4');
  await page.locator('[data-node="W19"][data-state="idle"]').waitFor();

  // Locators look at the page again and again, which takes longer than the page itself: it moves its slider alone.
  const moveTo = (value: string) =>
    mainThreadMs(page, () =>
      slider.evaluate(async (element, to) => {
        const window = element.ownerDocument.defaultView;
        if (window === null) return;
        Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value')?.set?.call(element, to);
        element.dispatchEvent(new window.Event('input', { bubbles: true }));
        const frame = () => new Promise((drawn) => window.requestAnimationFrame(drawn));
        for (let drawn = 0; drawn < 4; drawn += 1) await frame();
      }, value),
    );
  const changed: number[] = [];
  const unchanged: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    changed.push(await moveTo(last));
    await page.locator('[data-node="W19"][data-state="waiting"]').waitFor();
    unchanged.push(await moveTo(last));
    await slider.fill('4');
    await page.locator('[data-node="W19"][data-state="idle"]').waitFor();
  }

  expect(Math.min(...changed) - Math.min(...unchanged)).toBeLessThan(30);
});
