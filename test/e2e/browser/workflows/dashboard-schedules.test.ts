import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overflowOf, violationsOn } from '../../../support/browser/accessibility.ts';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import type { WebhookReceiver } from '../../../support/http/webhook-receiver.ts';
import { startWebhookReceiver } from '../../../support/http/webhook-receiver.ts';

const greeting = 'graph: { id: greeting, nodes: [{ id: A, type: literal, config: { content: hello } }] }';
const asks = 'graph: { id: asks, nodes: [{ id: H, type: human, config: { description: Is it good? } }] }';
const never = '0 0 1 1 *';
const dashboard = useDashboard({ webhooks: { allow: ['loopback'], delayMs: 5 } });

let receiver: WebhookReceiver;
const { send } = dashboard;
beforeAll(async () => {
  receiver = await startWebhookReceiver(({ path }) => (path === '/gone' ? 410 : 200));
  for (const [name, yaml] of Object.entries({ greeting, asks })) await send('PUT', `/v1/workflows/${name}`, { yaml });
});
afterAll(() => receiver.close());

const open = (path: string) => dashboard.page.goto(dashboard.url(`/ui/${path}`));
const heading = (name: string) => dashboard.page.getByRole('heading', { level: 1, name });

describe('schedules', () => {
  it('are created with a look at their next times, and listed with their times in words', async () => {
    const { page } = dashboard;
    await open('schedules');
    await page.getByText('There is no schedule yet.').waitFor();
    await page.getByRole('link', { name: 'New schedule' }).first().click();

    await page.getByLabel('Id').fill('morning');
    dashboard.expectErrors('422');
    await page.getByLabel('Cron expression').fill('0 25 * * *');
    await page.getByRole('alert').getByText('names no times').waitFor();
    await page.getByLabel('Cron expression').fill('30 7 * * 1-5');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByText('At 07:30, Monday through Friday (Europe/Berlin)').waitFor();
    const times = await page.getByRole('list', { name: 'Next times' }).getByRole('listitem').allTextContents();
    await page.getByLabel('Workflow').selectOption('greeting');
    await page.getByRole('button', { name: 'Create the schedule' }).click();
    await heading('Schedule morning').waitFor();
    await page.getByText('None of its times has come yet.').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');

    await page
      .getByRole('listitem')
      .filter({ hasText: 'morning' })
      .getByText('At 07:30, Monday through Friday')
      .waitFor();
    expect(times).toHaveLength(5);
    expect(times.every((time) => time.includes('07:30'))).toBe(true);
    dashboard.expectErrors('422');
  });

  it('show what became of their last times, are paused, edited, started now and deleted', async () => {
    const { page } = dashboard;
    await send('POST', '/v1/schedules', { id: 'often', cron: '* * * * * *', run: { workflow: 'greeting' } });
    await open('schedules/often');
    await page
      .getByRole('table', { name: 'Last times' })
      .getByRole('link', { name: /^tick_often_/ })
      .first()
      .waitFor({ timeout: 20_000 });
    await page.getByText('active', { exact: true }).waitFor();
    const act = async (name: string, confirm: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
    };

    await act('Pause', 'Pause the schedule');
    await page.getByRole('status').getByText('The schedule is paused.').waitFor();
    await page.getByText('It is paused: none of these times starts a run.').waitFor();
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Cron expression').fill(never);
    await page.getByLabel('Variables').fill('COUNT=7');
    await page.getByLabel('Tags').fill('nightly, small');
    await page.getByLabel('Budget in US dollars').fill('0.5');
    await page.getByLabel('Time limit').fill('30m');
    await page.getByLabel('Priority').fill('3');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText('At 00:00, on day 1 of the month, only in January', { exact: false }).waitFor();
    await act('Run now', 'Start the run');
    await page
      .getByRole('status')
      .getByRole('link', { name: /^tick_often_/ })
      .waitFor();
    const run = {
      vars: { COUNT: 7 },
      tags: ['nightly', 'small'],
      budget: { usd: 0.5 },
      timeoutSeconds: 1800,
      priority: 3,
    };
    expect(await send('GET', '/v1/schedules/often')).toMatchObject({ cron: never, paused: true, run });
    await act('Delete', 'Delete the schedule');

    await heading('Schedules').waitFor();
    expect((await send('GET', '/v1/schedules/often'))['code']).toBe('SCHEDULE_UNKNOWN');
  });
});

describe('webhooks', () => {
  it('show their secret once, send a test, and list the deliveries with their attempts', async () => {
    const { page } = dashboard;
    await open('webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await page.getByRole('link', { name: 'New webhook' }).first().click();
    await page.getByLabel('Address').fill(`${receiver.url}/all`);
    await page.getByLabel('Description').fill('our receiver');
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
    await page.getByRole('link', { name: /go to the webhook/ }).click();
    await heading('our receiver').waitFor();
    expect(await page.getByText(secret).count()).toBe(0);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send the test' }).click();

    await page.getByRole('status').getByText('A test is on its way.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'webhook.test' });
    await row.getByText('delivered').waitFor();
    await row.getByText(/200 after/).waitFor();
    const [delivery] = await receiver.until('/all', 1);
    expect(delivery?.headers['webhook-signature']).toBeDefined();
    expect(JSON.stringify(await page.context().storageState())).not.toContain(secret);
  });

  it('redeliver one delivery, or all that have failed after the address was corrected', async () => {
    const { page } = dashboard;
    const { id } = await send('POST', '/v1/webhooks', { url: `${receiver.url}/gone`, events: ['run.completed'] });
    await send('POST', '/v1/runs', { workflow: 'greeting', runId: 'lost' });
    await open(`webhooks/${String(id)}?state=failed`);
    const row = page.getByRole('row').filter({ hasText: 'lost' });
    await row.getByText(/410 after/).waitFor({ timeout: 20_000 });

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Address').fill(`${receiver.url}/back`);
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText(`${receiver.url}/back`).first().waitFor();
    await page.getByRole('button', { name: 'Redeliver all failed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver them' }).click();

    await page.getByRole('status').getByText('The failed delivery is sent again.').waitFor();
    await page.getByText('No delivery is failed.').waitFor();
    await receiver.until('/back', 1);
    await page.getByRole('link', { name: 'Show all deliveries' }).click();
    await row.getByRole('button', { name: 'Redeliver', exact: true }).click();
    await receiver.until('/back', 2);
  });
});

/** Creates a resource of each kind that its own screen deletes. Returns its id. */
const deletable = {
  batches: async () => {
    await send('POST', '/v1/batches', { id: 'gone', workflow: 'greeting', rows: [{ input: 'one' }] });
    await expect.poll(async () => (await send('GET', '/v1/batches/gone'))['status']).toBe('finished');
    return 'gone';
  },
  schedules: async () => {
    await send('POST', '/v1/schedules', { id: 'gone', cron: never, run: { workflow: 'greeting' } });
    return 'gone';
  },
  webhooks: async () => String((await send('POST', '/v1/webhooks', { url: `${receiver.url}/all` }))['id']),
};

describe('the screen of a resource that is being deleted', () => {
  it.each(Object.entries(deletable))('loads none of it meanwhile: %s', async (kind, create) => {
    const path = `${kind}/${await create()}`;
    const page = await dashboard.ownPage();
    await page.clock.install();
    await open(path);
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'GET' && request.url().includes(`/v1/${path}`)) loaded.push(request.url());
    });
    await page.route(`**/v1/${path}`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const response = await route.fetch();
      loaded.length = 0;
      // The response is on its way while all that the page shows is loaded again: by polls, and as the page is seen again.
      // The page would repeat a deletion without a response after 15 seconds.
      const others = page.waitForRequest('**/v1/me');
      await page.clock.fastForward(10_500);
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await others;
      return route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the' }).click();

    await heading(`${kind[0]?.toUpperCase()}${kind.slice(1)}`).waitFor();
    expect(loaded).toEqual([]);
  });
});

describe('bulk actions', () => {
  it('are listed with their filter and progress, and lead to the order', async () => {
    const { page } = dashboard;
    await open('runs');
    await heading('Runs').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('bulk');
    await page.getByRole('option', { name: 'Bulk actions' }).click();
    await page.getByText('No bulk action in the last week.').waitFor();
    for (const input of ['one', 'two']) await send('POST', '/v1/runs', { workflow: 'asks', input, tags: ['many'] });

    await send('POST', '/v1/bulk', { action: 'cancel', filter: { tag: 'many' }, reason: 'enough' });

    const card = page.getByRole('listitem').filter({ hasText: 'with the tag many' });
    await card.getByText('2 of 2').waitFor();
    await card.getByText('finished').waitFor();
    await card.getByRole('link', { name: 'Cancel' }).click();
    await heading('Bulk cancel').waitFor();
    await page.getByText('because: enough').waitFor();
    await page.getByText('2 runs', { exact: true }).waitFor();
    await page.getByLabel('Breadcrumb').getByRole('link', { name: 'Bulk actions' }).click();
    await heading('Bulk actions').waitFor();
  });
});

describe('accessibility', () => {
  it('finds no violation of WCAG 2.2 A and AA in these screens, nothing too wide for a phone, and a way up', async () => {
    const { page } = dashboard;
    await send('POST', '/v1/schedules', { id: 'seen', cron: never, run: { workflow: 'greeting' } });
    const { id } = await send('POST', '/v1/webhooks', { url: `${receiver.url}/seen` });
    await send('POST', `/v1/webhooks/${String(id)}/test`, {});
    await receiver.until('/seen', 1);
    const { id: order } = await send('POST', '/v1/bulk', { action: 'retry', filter: { tag: 'nothing' } });
    const faults: Record<string, readonly string[]> = {};
    const screens = {
      schedules: 'seen',
      'schedules/new': 'At 07:00',
      'schedules/seen': 'At 00:00',
      webhooks: '/seen',
      'webhooks/new': 'task.created',
      [`webhooks/${String(id)}`]: 'webhook.test',
      bulk: 'with the tag nothing',
      [`bulk/${String(order)}`]: 'finished',
    };
    for (const [path, text] of Object.entries(screens)) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await open(path);
      await page.locator('main').getByText(text).first().waitFor();
      const found = [...(await violationsOn(page)), ...(await overflowOf(page))];
      const hasWayUp = await page.getByLabel('Breadcrumb').getByRole('link').first().isVisible();
      if (path.includes('/') && !hasWayUp) found.push('no link to the list above it');
      if (found.length > 0) faults[path] = found;
    }

    expect(faults).toEqual({});
  });
});
