import { Millrace } from '@millrace/client';
import { beforeAll, expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { screenStates, statefulScreens } from '../../support/browser/screen-states.ts';
import type { DemoRuns } from '../../support/demo-ui/add-demo-data.ts';
import { addDemoData } from '../../support/demo-ui/add-demo-data.ts';
import { problemsOn } from '../../support/demo-ui/screen-problems.ts';

const dashboard = useDashboard();
const origin = () => dashboard.url('').replace(/\/$/, '');

let runs: DemoRuns;
beforeAll(async () => {
  runs = await addDemoData(new Millrace({ url: origin() }), 5);
}, 60_000);

it('shows a run of the demo on a phone and the list of runs on a desktop, complete and without errors', async () => {
  const base = origin();
  const { page } = dashboard;

  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await problemsOn(page, base, { path: `runs/${runs.waiting}`, text: 'loop · iteration 3' })).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await problemsOn(page, base, { path: 'runs', text: 'The summer festival' })).toEqual([]);
});

/* The pixels of pictures are not compared: fonts are drawn in other ways on each machine, and ids and times differ. */

it('shows on every screen one of the states that servers and keys can put it into', async () => {
  const { page } = dashboard;
  // All states of all screens are part of the nightly tests.
  const states = screenStates.filter(({ name }) => name !== 'server away');
  for (const [at, screen] of statefulScreens(runs).entries()) {
    const possible = states.filter(({ applies }) => applies(screen));
    await possible[at % possible.length]?.reach(page, dashboard.url(`/ui/${screen.path}`));
    await page.locator('main h1').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  dashboard.expectErrors('Failed to load resource');
});

it('leads back to the runs on a phone, and shows the current tab without scrolling', async () => {
  const { page } = dashboard;
  const run = await dashboard.start(
    'version: 0.4.0\nvars: {}\ngraph:\n  id: short\n  start: [One]\n  end: [One]\n  nodes:\n    - { id: One, type: passthrough, config: {} }\n  edges: []\n',
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(dashboard.url(`/ui/runs/${run}/yaml`));

  await page.getByRole('link', { name: 'YAML' }).waitFor();
  const { x = 0, width = 0 } = (await page.getByRole('link', { name: 'YAML' }).boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(390);
  await page.getByLabel('Breadcrumb').getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
});
