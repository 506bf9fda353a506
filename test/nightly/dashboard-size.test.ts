import { expect, it } from 'vitest';
import { useDashboard } from '../support/browser/dashboard.ts';
import { mainThreadMs } from '../support/browser/task-duration.ts';

/*
 * Sizes at which pages of other systems freeze. Times are CPU times of the main thread of the page, so that a busy machine
 * does not fail them. Limits above the budget of the design are 15 % above what was measured (docs/guide/performance.md).
 */

const dashboard = useDashboard();

const elements = () => dashboard.page.locator('*').count();

const tab = (name: string) =>
  dashboard.page.getByRole('navigation', { name: 'Views of the run' }).getByRole('link', { name });

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

const units = (count: number): string => `graph:
  id: units
  nodes:
    - { id: Lines, type: passthrough, config: {} }
    - { id: Each, type: passthrough, config: {} }
  edges:
    - { from: Lines, to: Each, dynamic: { type: map, config: { split_type: lines, max_parallel: ${count} } } }
`;

const ended = (run: string) =>
  expect
    .poll(async () => (await fetch(dashboard.url(`/v1/runs/${run}?view=head`))).json(), {
      timeout: 240_000,
      interval: 500,
    })
    .toMatchObject({ status: 'completed' });

it.each([
  [50, 215],
  [200, 250],
  [500, 500],
])('draws a graph of %i nodes', { timeout: 120_000 }, async (nodes, limitMs) => {
  const run = await dashboard.start(workflow(nodes));
  await ended(run);
  const { page } = dashboard;
  await page.goto(dashboard.url(`/ui/runs/${run}/journal`));
  await page.getByRole('heading', { level: 1 }).waitFor();

  const ms = await mainThreadMs(page, async () => {
    await tab('graph').click();
    await page.locator('[data-node="N0"]').waitFor();
  });

  expect(ms).toBeLessThan(limitMs);
});

it('returns the timeline of 3,002 activations in a few kilobytes', { timeout: 120_000 }, async () => {
  const run = await dashboard.start(units(3000), {
    input: Array.from({ length: 3000 }, (_, at) => `line ${at}`).join('\n'),
  });
  await ended(run);

  const before = process.cpuUsage();
  const response = await fetch(dashboard.url(`/v1/runs/${run}/timeline`));
  const text = await response.text();
  const { user, system } = process.cpuUsage(before);

  expect(text.length).toBeLessThan(100_000);
  expect((user + system) / 1000, 'ms of this process, server and client').toBeLessThan(300);
});

it('shows a loop of 5,000 turns', { timeout: 300_000 }, async () => {
  const run = await dashboard.start(`graph:
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
`);
  await ended(run);
  const { page } = dashboard;

  await page.goto(dashboard.url(`/ui/runs/${run}/graph`));
  await page
    .locator('[data-node="Speaker"]')
    .getByText(/5,?000/)
    .first()
    .waitFor();

  expect(await elements()).toBeLessThan(1500);
});
