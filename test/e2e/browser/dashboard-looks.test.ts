import { Millrace } from '@millrace/client';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { addDemoData } from '../../support/demo-ui/add-demo-data.ts';
import { problemsOn } from '../../support/demo-ui/screen-problems.ts';

const dashboard = useDashboard();

it('shows a run of the demo on a phone and the list of runs on a desktop, complete and without errors', async () => {
  const base = dashboard.url('').replace(/\/$/, '');
  const { waiting } = await addDemoData(new Millrace({ url: base }), 5);
  const { page } = dashboard;

  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await problemsOn(page, base, { path: `runs/${waiting}`, text: 'loop · turn 3' })).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await problemsOn(page, base, { path: 'runs', text: 'The summer festival' })).toEqual([]);
}, 60_000);

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
