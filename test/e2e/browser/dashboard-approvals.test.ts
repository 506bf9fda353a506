import { afterEach, expect, it } from 'vitest';
import { overflowOf, violationsOn } from '../../support/browser/accessibility.ts';
import { useDashboard } from '../../support/browser/dashboard.ts';

/** A clerk whose calls a person approves; the model is scripted, and the tool has a fixed result. */
const clerk = `
graph:
  id: weather
  nodes:
    - id: Clerk
      type: agent
      config:
        provider: scripted
        name: clerk
        params:
          rules:
            - when: { last_role: user }
              reply: { tool_calls: [{ name: get_weather, arguments: { city_num: 7, unit: celsius } }] }
          default: It is done.
        tooling:
          - type: function
            config: { tools: [{ name: get_weather }] }
            policy: [{ tool: get_weather, when: { path: city_num, above: 5 }, do: ask }]
`;

const dashboard = useDashboard();
const { url } = dashboard;
afterEach(async () => {
  const { runs } = dashboard.api.runtime;
  for (const { run } of (await runs.list({ limit: 100, asks: true })).runs) await runs.cancel(run, 'the test is over');
});

/** Starts a run that asks, and returns its id and that of the question. */
async function asked() {
  const run = await dashboard.start(clerk, { input: 'How warm is it?' });
  await fetch(url(`/v1/runs/${run}?wait=20s`));
  const { data } = (await (await fetch(url(`/v1/tasks?run=${run}`))).json()) as {
    readonly data: readonly { readonly id: string }[];
  };
  return { run, task: data[0]?.id ?? '' };
}

const ended = async (run: string): Promise<unknown> =>
  ((await (await fetch(url(`/v1/runs/${run}?wait=20s&until=ended`))).json()) as { readonly status: unknown }).status;

it('shows the exact call, compares the arguments that a person changes, and then what was sent, by keys alone', async () => {
  const { page } = dashboard;
  const { run, task } = await asked();
  await page.goto(url(`/ui/inbox/${task}`));
  const article = page.getByRole('article', { name: 'May Clerk call get_weather?' });
  await article.getByText('"city_num": 7').waitFor();
  const send = article.getByRole('button', { name: /Decide/ });
  expect(await send.getAttribute('aria-disabled')).toBe('true');
  expect(await violationsOn(page)).toEqual([]);

  await page.keyboard.press('a');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await article.getByRole('radio', { name: 'Approve with changes', checked: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{"city_num": 9, "unit": "celsius"}');
  const changes = article.getByRole('region', { name: 'Changes to the arguments' });
  await changes.getByText('removed: ').waitFor();
  const lines = changes.locator('pre > span').filter({ hasText: '"city_num"' });
  expect(await lines.allTextContents()).toEqual([expect.stringContaining('7'), expect.stringContaining('9')]);
  expect(await violationsOn(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');

  await page.getByRole('status').getByText('Approved with changes: get_weather').waitFor();
  expect(await ended(run)).toBe('completed');
  await page.goto(url(`/ui/runs/${run}/activations?a=a1`));
  const approvals = page.getByRole('region', { name: 'Approvals' });
  await approvals.getByText(/approved by .* with changes, and made/).waitFor();
  await approvals.getByText('added: ').waitFor();
});

it('rejects a call with a reason on a phone', async () => {
  const { page } = dashboard;
  const { run, task } = await asked();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(url('/ui/inbox'));
  await page.getByRole('link', { name: 'May Clerk call get_weather?' }).click();
  const article = page.getByRole('article', { name: 'May Clerk call get_weather?' });

  await article.getByText('Reject', { exact: true }).click();
  await article.getByRole('textbox', { name: 'Reason' }).fill('It is secret.');
  const send = article.getByRole('button', { name: 'Reject' });
  expect((await send.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(await overflowOf(page)).toEqual([]);
  await send.click();

  await page.getByRole('status').getByText('Rejected get_weather').waitFor();
  expect(await ended(run)).toBe('completed');
  await page.goto(url(`/ui/runs/${run}/conversation`));
  await page.getByText('It is secret.').waitFor();
  expect(task).toContain(`${run}.a1.`);
});
