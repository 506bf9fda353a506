import { Millrace } from '@millrace/client';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { addDemoData } from '../../support/demo-ui/add-demo-data.ts';
import { problemsOn } from '../../support/demo-ui/screen-problems.ts';

const dashboard = useDashboard();

it('shows a run of the demo on a phone and the list of runs on a desk, whole and without errors', async () => {
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
