import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';

const asks = 'graph: { id: question, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';
const dashboard = useDashboard();

const heading = (name: string) => dashboard.page.getByRole('heading', { level: 1, name });

describe('an action on a run', () => {
  it('is copied as a command, and as a call of curl', async () => {
    const { page, context } = dashboard;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const run = await dashboard.start(asks);
    await page.goto(dashboard.url(`/ui/runs/${run}/graph`));

    const copied: unknown[] = [];
    for (const item of ['Cancel: copy as CLI', 'Cancel: copy as curl']) {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      copied.push(await page.evaluate('navigator.clipboard.readText()'));
    }

    expect(copied).toEqual([`millrace cancel ${run}`, `curl -X POST ${dashboard.url(`/v1/runs/${run}/cancel`)}`]);
  });
});

describe('the actions of the palette', () => {
  it.each([
    ['revoke key', 'Revoke an API key', '/ui/settings/keys'],
    ['pause queue', 'Pause a queue', '/ui/operations/queues'],
    ['retry failed run', 'Retry a failed run', '/ui/runs'],
  ])('leads from “%s” to the screen of the action', async (words, action, path) => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/inbox'));
    await heading('Inbox').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Screen, run or action' }).fill(words);
    await page.getByRole('option', { name: action, exact: true }).waitFor();

    await page.keyboard.press('Enter');

    await page.waitForURL((url) => url.pathname === path);
  });
});

describe('the rows that the palette finds', () => {
  it('open their screens, or their lists with the row in view, marked and with the focus', async () => {
    const { page } = dashboard;
    const { send } = dashboard;
    for (let tenant = 0; tenant < 40; tenant++) await send('PUT', `/v1/limits/tenant-${tenant}`, { activations: 5 });
    await send('POST', '/v1/schedules', { id: 'nightly-report', cron: '0 3 * * *', run: { workflow: { yaml: asks } } });
    const open = async (words: string, row: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Screen, run or action' }).fill(words);
      await page.getByRole('option', { name: row }).click();
    };
    await page.goto(dashboard.url('/ui/inbox'));
    await heading('Inbox').waitFor();

    await open('limit tenant-37', 'Limit of tenant tenant-37');
    const focused = (tenant: string) =>
      page.locator('tr:focus').getByRole('rowheader', { name: tenant, exact: true }).waitFor();
    await focused('tenant-37');
    const { y = -1, height = 0 } = (await page.locator('tr:focus').boundingBox()) ?? {};
    expect(y > 0 && y + height <= (page.viewportSize()?.height ?? 0)).toBe(true);
    await open('limit tenant-2', 'Limit of tenant tenant-2 5 at a time');
    await focused('tenant-2');

    await open('report', 'Schedule nightly-report');
    await heading('nightly-report').waitFor();
  });
});

describe('the keyboard', () => {
  it('goes to screens with two letters, and moves the focus to their headings', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await heading('Runs').waitFor();

    await page.keyboard.press('g');
    await page.keyboard.press('i');

    await heading('Inbox').waitFor();
    await page.locator('h1:focus').waitFor();
    expect(await page.title()).toContain('Inbox · Millrace');
  });

  it('shows its shortcuts for a question mark, and hides them for Escape', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await heading('Runs').waitFor();

    await page.keyboard.press('?');

    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Go to the inbox').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });

  it('ignores letters while a person types, and when shortcuts are off', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByLabel('Search runs').pressSequentially('g i?');
    expect(await page.getByLabel('Search runs').inputValue()).toBe('g i?');
    await heading('Runs').waitFor();

    await page.goto(dashboard.url('/ui/settings'));
    await page.getByLabel('Single letters are shortcuts').uncheck();
    await page.reload();
    await heading('Settings').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.keyboard.press('Control+k');

    await page.getByRole('dialog', { name: 'Go to, find, act' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/settings/appearance');
  });

  it('skips to the content', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/inbox'));
    await heading('Inbox').waitFor();
    const skip = page.getByRole('link', { name: 'Skip to the content' });

    await skip.focus();
    await page.keyboard.press('Enter');

    await page.locator('main:focus').waitFor();
  });
});

describe('the palette', () => {
  it('receives what is typed while it is loaded, none of which acts as a shortcut', async () => {
    const { page } = dashboard;
    await page.route(/palette-.*\.js/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.goto(dashboard.url('/ui/runs'));
    await heading('Runs').waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('bulk');
    await page.getByRole('option', { name: 'Bulk actions' }).waitFor();
    await page.keyboard.type(' o');

    expect(await page.getByRole('combobox').inputValue()).toBe('bulk o');
    await page.unroute(/palette-.*\.js/);
  });

  it('finds a run by words of its title and opens it', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(asks, { input: 'Zebras at the river' });
    await page.goto(dashboard.url('/ui/inbox'));
    await heading('Inbox').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zeb');
    await page.getByRole('option', { name: /^Zebras at the river/ }).waitFor();
    await page.keyboard.press('Enter');

    await heading('Zebras at the river').waitFor();
    expect(new URL(page.url()).pathname).toContain(run);
  });

  it('acts on the run on the screen', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(asks);
    await page.goto(dashboard.url(`/ui/runs/${run}`));
    await page.getByRole('button', { name: 'pause' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('pause');
    await page.getByRole('option', { name: 'Pause this run' }).waitFor();
    await page.keyboard.press('Enter');

    await page.getByLabel('Facts').getByText('paused').waitFor();
  });

  it('opens a screen that is chosen with the arrows, and returns the focus when it closes', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await heading('Runs').waitFor();
    await page.getByRole('button', { name: 'Go to, find, act' }).click();
    await page.getByRole('option', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Go to, find, act' }).waitFor();

    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Settings' }).waitFor();
    await page.locator('[role="combobox"]:focus').waitFor();
    const chosen = page.getByRole('option', { name: 'Settings', selected: true });
    while ((await chosen.count()) === 0) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');

    await heading('Settings').waitFor();
  });
});

describe('the account menu', () => {
  it('shows the identity of the browser, and leads to the settings', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));

    await page.getByRole('button', { name: 'Account: default · anybody' }).click();

    await page.getByText('This server requires no key on this machine.').waitFor();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await heading('Settings').waitFor();
  });
});

describe('the tab of the browser', () => {
  it('has the icon for answers that name none, such as JSON', async () => {
    const icon = await fetch(dashboard.url('/favicon.ico'));

    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(icon.url).toBe(dashboard.url('/ui/favicon.svg'));
  });

  it('has the number of open questions in each title, and a dot on its icon while they wait', async () => {
    const { page } = dashboard;
    const { runs } = dashboard.api.runtime;
    for (const { run } of (await runs.list({ limit: 100, asks: true })).runs) await runs.cancel(run, 'not this one');
    await page.goto(dashboard.url('/ui/settings'));
    await page.locator('[data-connection="live"]').waitFor();
    await expect.poll(() => page.title()).toBe('Settings · Millrace');

    const run = await dashboard.start(asks);

    // Sooner than by polling, which is every 15 seconds.
    await expect.poll(() => page.title()).toBe('(1) Settings · Millrace');
    const dotted = page.locator('link[rel="icon"][href$="favicon-asks.svg"]');
    await dotted.waitFor({ state: 'attached' });
    expect((await page.request.get(dashboard.url('/ui/favicon-asks.svg'))).status()).toBe(200);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await expect.poll(() => page.title()).toBe('(1) Runs · Millrace');

    await runs.cancel(run, 'the test is over');

    await expect.poll(() => page.title()).toBe('Runs · Millrace');
    await dotted.waitFor({ state: 'detached' });
  });
});
