import { readFile } from 'node:fs/promises';
import { createVocabulary } from '@millrace/catalog';
import { startIntake } from '@millrace/orchestrator/intake';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { violationsOn } from '../../support/browser/accessibility.ts';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const says = (id: string) => `
graph:
  id: ${id}
  prices: {m: {input: 1000, output: 1000}}
  nodes: [{ id: A, type: agent, config: { provider: scripted, name: m, params: { default: Hello there. } } }]
`;
const passes = 'graph: { id: passes, nodes: [{ id: Say, type: passthrough, config: {} }] }';
const dashboard = useDashboard();

const open = async (path: string, heading: string): Promise<void> => {
  await dashboard.page.goto(dashboard.url(`/ui/${path}`));
  await dashboard.page.getByRole('heading', { level: 1, name: heading }).waitFor();
};
const tableOf = (name: string) => dashboard.page.getByRole('table', { name, exact: true });
const rowsOf = async (name: string) =>
  (await tableOf(name).getByRole('row').allInnerTexts()).map((text) => text.split('\t'));
/** Pixels by which a table is wider than a phone. */
const tooWide = async (name: string): Promise<number> => {
  const before = dashboard.page.viewportSize() ?? { width: 1280, height: 720 };
  await dashboard.page.setViewportSize({ width: 390, height: 844 });
  const by = await tableOf(name).evaluate((table) => table.scrollWidth - table.clientWidth);
  await dashboard.page.setViewportSize(before);
  return by;
};
const confirm = async (button: string): Promise<void> => {
  await dashboard.page.getByRole('dialog').getByRole('button', { name: button }).click();
  await dashboard.page.getByRole('dialog').waitFor({ state: 'detached' });
};

it('shows the link of the part that is open on a phone', async () => {
  await dashboard.page.setViewportSize({ width: 390, height: 844 });
  await open('operations/limits', 'Operations');
  const link = dashboard.page.locator('main nav a[aria-current=page]').filter({ hasText: 'Limits' });

  await expect
    .poll(() => link.evaluate((one) => Math.ceil(one.getBoundingClientRect().right)))
    .toBeLessThanOrEqual(390);
  await dashboard.page.setViewportSize({ width: 1280, height: 720 });
});

describe('the usage', () => {
  beforeAll(async () => {
    for (const yaml of [says('poem'), says('poem'), says('essay'), passes]) {
      const run = await dashboard.start(yaml);
      await untilEnded(dashboard.api.runtime.runs, run);
    }
  });

  it('begins with its sums on a phone, below one line that shows and changes what is chosen', async () => {
    const page = await dashboard.ownPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await open('usage', 'Usage');

    const sums = page.getByText('Runs ended');
    await sums.waitFor();
    expect((await sums.boundingBox())?.y).toBeLessThan(260);
    const chosen = page.getByRole('button', { name: 'Cost by day · 30 days' });
    expect((await chosen.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await chosen.click();
    await page.getByRole('button', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByRole('button', { name: 'Tokens by day · 7 days', expanded: true }).click();
    await page.getByRole('button', { name: '90 days' }).waitFor({ state: 'detached' });
  });

  it('shows money and tokens by day, split by workflow, as bars and as tables', async () => {
    const { page } = dashboard;
    await open('usage', 'Usage');
    await expect.poll(async () => (await rowsOf('Usage by day')).length).toBeGreaterThan(2);
    const [, today, total] = await rowsOf('Usage by day');
    expect(today?.[0]).toBe(new Date().toISOString().slice(0, 10));
    // Cost, calls, tokens in and out; runs, failed, stopped by the budget. No call used a cache, or had no price.
    expect(today?.slice(2)).toEqual(['3', '6', '6', '4', '0', '0']);
    expect(today?.[1]).toBe('$0.012');
    expect(total?.slice(1)).toEqual(today?.slice(1));
    await page.locator('figure canvas').waitFor();
    expect(await tooWide('Usage by day')).toBe(0);

    await page.getByRole('button', { name: 'Workflow', exact: true }).click();

    await tableOf('Usage by workflow').waitFor();
    expect(new URL(page.url()).searchParams.get('by')).toBe('workflow');
    expect((await rowsOf('Usage by workflow')).map(([name]) => name)).toEqual([
      'Workflow',
      'poem',
      'essay',
      'passes',
      'Total',
    ]);
    await page.getByRole('list', { name: 'Colours' }).getByText('essay').waitFor();

    await tableOf('Usage by workflow').getByRole('button', { name: 'essay' }).click();
    await expect.poll(async () => (await rowsOf('Usage by day'))[1]?.[2]).toBe('1');
    await page.getByRole('button', { name: 'workflow: essay' }).click();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByRole('button', { name: 'Tokens', exact: true }).click();
    expect(new URL(page.url()).search).toBe('?since=7d&show=tokens');
  });

  it('is downloaded as CSV with what the bars show', async () => {
    const { page } = dashboard;
    await open('usage?by=model', 'Usage');
    await tableOf('Usage by model').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    expect(text.split('\r\n')[1]).toMatch(/^\d{4}-\d\d-\d\d,m,0,0,0,3,6,0,0,6,0,0,0\.012000,0\.000000,0,0,0\.000000$/);
  });

  it('says that nothing was used, and clears the filters', async () => {
    const { page } = dashboard;
    await open('usage?until=2020-01-31&workflow=nothing', 'Usage');
    await page.getByText('No usage matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await tableOf('Usage by day').waitFor();
  });

  it('adds up tenants for operators', async () => {
    const { page } = dashboard;
    await open('usage?by=tenant', 'Usage');
    await tableOf('Usage by tenant').waitFor();
    expect((await rowsOf('Usage by tenant'))[1]?.slice(0, 3)).toEqual(['default', '$0.012', '3']);
    await page.getByRole('button', { name: 'Tenant', exact: true, pressed: true }).waitFor();
  });
});

describe('the operations', () => {
  it('pauses and resumes a queue, says what that does, and raises an alert meanwhile', async () => {
    const { page } = dashboard;
    await open('operations/queues', 'Operations');
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('button', { name: 'Pause default' }).click();
    await page.getByText('No activation of this queue starts, of any tenant, until it is resumed.').waitFor();
    await confirm('Pause it');
    await page.getByRole('status').getByText('Queue default is paused.').waitFor();

    const run = await dashboard.start(passes);

    await page.getByRole('list', { name: 'Alerts' }).getByText('It is paused, and 1 job waits in it.').waitFor();
    const [, queue] = await rowsOf('Queues');
    expect(queue?.slice(0, 3).map((text) => text.trim())).toEqual(['default', 'paused', '1']);
    expect(queue?.[3]).toMatch(/s$/);
    expect(await tooWide('Queues')).toBe(0);
    await page.getByRole('button', { name: 'Resume default' }).click();
    await confirm('Resume it');
    await page.getByRole('status').getByText('Queue default is resumed.').waitFor();
    await untilEnded(dashboard.api.runtime.runs, run);
    await page.getByText('Nothing needs attention.').waitFor();
  });

  it('shows workers with their versions, and Redis as the doctor sees it', async () => {
    const { page } = dashboard;
    await open('operations', 'Operations');
    await page.waitForURL('**/operations/workers');
    const row = tableOf('Workers').getByRole('row', { name: 'test' });
    await row.getByText('0 of at most 4').waitFor();
    await row.getByText(process.versions.node).waitFor();
    await page.getByText(/answers; maxmemory-policy noeviction/).waitFor();
    expect(await tooWide('Workers')).toBe(0);
  });

  it('queues a refused job again, and deletes it', async () => {
    const { page, api } = dashboard;
    const intake = startIntake({
      runtime: api.runtime,
      vocabulary: createVocabulary(),
      name: 'test',
      log: pino({ level: 'silent' }),
    });
    const theirs = new Queue('millrace-intake', { connection: { url: api.redis.url }, prefix: api.redis.prefix });
    await theirs.add('run', { workflow: 'nothing' }, { jobId: 'job-one' });
    await expect.poll(() => theirs.getFailedCount()).toBe(1);
    await open('operations/refused', 'Operations');
    const row = tableOf('Refused intake jobs').getByRole('row', { name: 'job-one' });
    await row.getByText('WORKFLOW_UNKNOWN').waitFor();
    await page.getByRole('list', { name: 'Alerts' }).getByText('1 job was refused.').waitFor();

    expect(await tooWide('Refused intake jobs')).toBe(0);
    await row.getByRole('button', { name: 'Retry' }).click();
    await confirm('Queue it again');
    await page.getByRole('status').getByText('Job job-one was queued again.').waitFor();
    await expect.poll(() => theirs.getFailedCount()).toBe(1);
    await row.getByRole('button', { name: 'Delete' }).click();
    await confirm('Delete it');

    await page.getByText('No job was refused.').waitFor();
    await intake.close();
    await theirs.close();
  });

  it('sets, changes and removes limits', async () => {
    const { page } = dashboard;
    await open('operations/limits', 'Operations');
    await page.getByText('There are no limits.').waitFor();
    const form = page.getByRole('form', { name: 'Limit' });
    await form.getByLabel('Tenant').fill('acme');
    await form.getByLabel('Activations at a time').fill('20');
    await form.getByRole('button', { name: 'Set the limit' }).click();
    await page.getByRole('status').getByText('tenant acme: 20 activations at a time.').waitFor();
    await tableOf('Limits').getByRole('button', { name: 'Change' }).click();
    await form.getByLabel('Activations at a time').fill('5');
    await form.getByRole('button', { name: 'Change the limit' }).click();
    await expect.poll(async () => (await rowsOf('Limits'))[1]?.slice(0, 3)).toEqual(['acme', 'all together', '5']);
    expect(await tooWide('Limits')).toBe(0);

    await tableOf('Limits').getByRole('button', { name: 'Remove' }).click();
    await confirm('Remove it');

    await page.getByText('There are no limits.').waitFor();
  });

  it('shows what tenants have stored, and may store', async () => {
    const { stored } = dashboard.api.runtime.store;
    const most = Number.POSITIVE_INFINITY;
    await stored.set('acme', 'file/f', { bytes: 3 * 1024 * 1024, most });

    await open('operations/limits', 'Operations');
    await tableOf('Storage').getByRole('row', { name: 'acme' }).waitFor();
    const row = (await rowsOf('Storage')).find(([tenant]) => tenant === 'acme');
    expect(row?.slice(0, 3)).toEqual(['acme', '3.0 MB', '10 GB']);
    expect(await tooWide('Storage')).toBe(0);
    await stored.set('acme', 'file/f', { bytes: 0, most });
  });
});

// The last ones: from the first key on, the API asks for keys.
it.each([
  ['batches/new', 'New batch'],
  ['schedules/new', 'New schedule'],
  ['webhooks/new', 'New webhook'],
  ['usage', 'Usage'],
  ['operations/limits', 'Operations'],
])('shows %s in the dark without violations of accessibility', async (path, title) => {
  const { page } = dashboard;
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(path, title);

  expect(await violationsOn(page, 'dark')).toEqual([]);
});

describe('the keys', () => {
  const signInAs = async (secret: string): Promise<void> => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByLabel('API key').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    dashboard.expectErrors('Failed to load resource');
  };
  const statusWith = async (secret: string): Promise<number> =>
    (await fetch(dashboard.url('/v1/runs'), { headers: { authorization: `Bearer ${secret}` } })).status;

  it('are made with their scopes in words, shown once, and revoked', async () => {
    const { page } = dashboard;
    const admin = await dashboard.api.keyOf('default', 'admin');
    const expiring = { name: 'expiring', scopes: ['read'], expiresAt: Date.now() + 20.5 * 60 * 60_000 };
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    await fetch(dashboard.url('/v1/keys'), { method: 'POST', headers, body: JSON.stringify(expiring) });
    await signInAs(admin);
    await open('settings/keys', 'Settings');
    await tableOf('Keys')
      .getByRole('row', { name: 'expiring' })
      .getByText(/expiring\s*in 20 h/)
      .waitFor();
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name').fill('ci');
    await page.getByLabel('run: start, stop, replay and fork runs').check();
    await page.getByRole('button', { name: 'Make the key' }).click();
    const made = page.getByRole('dialog', { name: 'The key is made' });
    const secret = (await made.locator('code').first().textContent()) ?? '';
    expect(secret).toMatch(/^mk_default_[a-z0-9]{12}_[0-9a-f]{64}$/);
    expect(await statusWith(secret)).toBe(200);
    await made.getByRole('button', { name: 'I have copied it' }).click();

    await page.reload();
    const row = tableOf('Keys').getByRole('row', { name: 'ci' });
    await row.getByText('read, run').waitFor();
    expect(await tooWide('Keys')).toBe(0);
    expect(await page.content()).not.toContain(secret);
    expect((await row.getByRole('cell').allInnerTexts())[2]).toMatch(/now|ago/);
    await row.getByRole('button', { name: 'Revoke ci' }).click();
    await confirm('Revoke it');

    await page.getByRole('status').getByText('Key ci is revoked.').waitFor();
    await expect.poll(() => statusWith(secret)).toBe(401);
    await row.getByText('revoked').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
  });

  it('say which scope is wanted where one is missing', async () => {
    const { page } = dashboard;
    await signInAs(await dashboard.api.keyOf('acme', 'read'));
    await open('operations/queues', 'Operations');
    await page
      .getByRole('alert')
      .getByText('so it needs a key of the tenant "default" with the scope "admin"')
      .waitFor();
    await open('settings/keys', 'Settings');
    await page.getByRole('alert').getByText('needs a key with the scope "admin"').waitFor();
    const make = page.getByRole('button', { name: /^Make a key\s*: This needs a key with the scope "admin"/ });
    expect(await make.getAttribute('aria-disabled')).toBe('true');
    await open('usage', 'Usage');
    await page.getByText('Nothing was used in these days.').waitFor();
    expect(await page.getByRole('button', { name: 'Tenant', exact: true }).count()).toBe(0);
    dashboard.expectErrors('Failed to load resource');
  });
});
