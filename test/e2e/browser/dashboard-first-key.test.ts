import { expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';

const dashboard = useDashboard();

it('shows the first key of an installation, and signs the browser in with it', async () => {
  const { page } = dashboard;
  await page.goto(dashboard.url('/ui/settings/keys'));
  await page.getByText('There are no keys.').waitFor();

  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('From the first key on it requires one').waitFor();
  expect(await page.getByRole('checkbox', { name: 'administer' }).isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Make the key' }).click();

  const made = page.getByRole('dialog', { name: 'The key is made' });
  await made.getByText('This browser is signed in with this one.').waitFor();
  const secret = (await made.locator('code').first().textContent()) ?? '';
  const headers = { authorization: `Bearer ${secret}` };
  expect((await fetch(dashboard.url('/v1/runs'), { headers })).status).toBe(200);
  expect((await fetch(dashboard.url('/v1/runs'))).status).toBe(401);
  // Nothing asks for the key that is shown.
  expect(await page.getByRole('dialog').count()).toBe(1);
  await made.getByRole('button', { name: 'I have copied it' }).click();
  await page.reload();
  await page.getByRole('table', { name: 'Keys' }).getByText('valid').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  // Requests that the page had under way when the key was made.
  dashboard.expectErrors('Failed to load resource');
});
