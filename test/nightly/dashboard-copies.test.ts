import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { routes } from '@millrace/client';
import { startIntake } from '@millrace/orchestrator/intake';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActionName } from '../../packages/dashboard/src/kit/commands/actions.ts';
import { useDashboard } from '../support/browser/dashboard.ts';

/* Every action of the dashboard, on the screen or in the dialog where people take it: it is copied as a command and as a request. */

const dashboard = useDashboard({ waitMs: 120_000 });
const echo = 'graph: { id: echo, nodes: [{ id: A, type: agent, config: { provider: scripted, name: m } }] }';
const asks = 'graph: { id: asks, nodes: [{ id: Ask, type: human, config: {} }] }';
const fails = `graph:
  id: fails
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: { rules: [{ when: { last_user_contains: A }, replies: [{ error: { status: 400, message: refused } }] }], default: fine }
`;

const send = async (method: string, path: string, body?: object): Promise<Record<string, string>> => {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(dashboard.url(path), { method, ...(body === undefined ? {} : json) });
  return (await response.json()) as Record<string, string>; // the contract's
};
async function until(isReached: () => Promise<boolean>): Promise<void> {
  const late = AbortSignal.timeout(30_000);
  while (!(await isReached())) await sleep(50, undefined, { signal: late });
}
const reaches = (path: string, field: string, value: string) =>
  until(async () => (await send('GET', path))[field] === value);
const go = (path: string) => dashboard.page.goto(dashboard.url(`/ui/${path}`));
const press = (name: string | RegExp) => dashboard.page.getByRole('button', { name }).first().click();

const ids: Record<'completed' | 'failed' | 'waiting' | 'paused' | 'webhook', string> = {
  completed: '',
  failed: '',
  waiting: '',
  paused: '',
  webhook: '',
};
let intake: { close(): Promise<void> };

beforeAll(async () => {
  for (const yaml of [echo, `${echo} # changed`]) await send('PUT', '/v1/workflows/echo', { yaml });
  for (const [name, yaml] of Object.entries({ asks, fails })) await send('PUT', `/v1/workflows/${name}`, { yaml });
  // Nothing listens there, so the delivery fails.
  ids.webhook = (await send('POST', '/v1/webhooks', { url: 'http://127.0.0.1:1/' }))['id'] ?? '';
  await send('POST', `/v1/webhooks/${ids.webhook}/test`);
  ids.completed = await dashboard.start(echo);
  ids.failed = await dashboard.start(fails);
  ids.waiting = await dashboard.start(asks);
  ids.paused = await dashboard.start(asks);
  await reaches(`/v1/runs/${ids.completed}`, 'status', 'completed');
  await reaches(`/v1/runs/${ids.failed}`, 'status', 'failed');
  for (const run of [ids.waiting, ids.paused]) await reaches(`/v1/runs/${run}`, 'status', 'waiting');
  await send('POST', `/v1/runs/${ids.paused}/pause`);
  for (const [id, paused] of [
    ['going', false],
    ['still', true],
  ] as const)
    await send('POST', '/v1/schedules', { id, cron: '0 0 1 1 *', paused, run: { workflow: 'echo' } });
  await send('POST', '/v1/batches', { id: 'done', workflow: 'fails', rows: [{ input: 'A' }] });
  await send('POST', '/v1/batches', { id: 'going', workflow: 'asks', rows: [{ input: 'a' }] });
  await reaches('/v1/batches/done', 'status', 'finished');
  await send('PUT', '/v1/limits/acme', { activations: 2 });
  await send('PUT', '/v1/limits/acme/workflows/echo', { activations: 2 });
  const { runtime, redis } = dashboard.api;
  intake = startIntake({ runtime, vocabulary: createVocabulary(), name: 'test', log: pino({ level: 'silent' }) });
  const jobs = new Queue('millrace-intake', { connection: { url: redis.url }, prefix: redis.prefix });
  await jobs.add('run', { workflow: 'nothing' }, { jobId: 'refused' });
  await until(async () => (await jobs.getFailedCount()) === 1);
  await jobs.close();
}, 120_000);
afterAll(() => intake.close());

const ofRun = (run: keyof typeof ids) => () => go(`runs/${ids[run]}/graph`);
const after = (path: string, button: string | RegExp) => async () => {
  await go(path);
  await press(button);
};
const inRow = (path: string, row: string, button: string) => async () => {
  await go(path);
  await dashboard.page.getByRole('row', { name: row }).getByRole('button', { name: button }).click();
};
const withTable = async () => {
  await go('batches/new');
  const file = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from('input\nA\n') };
  await dashboard.page.getByLabel('Table').setInputFiles(file);
  await dashboard.page.getByLabel('Workflow').selectOption('echo');
};
const selected = async () => {
  await go('runs?status=failed');
  await dashboard.page.getByRole('row', { name: 'A text' }).getByRole('checkbox').check();
  await dashboard.page.getByRole('region', { name: 'Selected runs' }).getByRole('button', { name: /Retry/ }).click();
};
const drafted = (button: string) => async () => {
  await go('workflows/echo/edit');
  await dashboard.page.getByRole('textbox', { name: 'Workflow YAML' }).press('Control+End');
  await dashboard.page.keyboard.type('# more');
  await press(button);
};
const claimed = async () => {
  await go(`inbox/${ids.waiting}.a1`);
  await press(/^Claim/);
};

/** The way to the place of each action. */
const ways: { readonly [N in ActionName]: () => Promise<unknown> } = {
  'runs.start': () => go('runs/new?workflow=echo'),
  'runs.pause': ofRun('waiting'),
  'runs.resume': ofRun('paused'),
  'runs.retry': ofRun('failed'),
  'runs.cancel': ofRun('waiting'),
  'runs.stop': ofRun('waiting'),
  'runs.replay': ofRun('completed'),
  'runs.fork': async () => {
    await go(`runs/${ids.completed}/graph?n=A`);
    await press('Fork here');
  },
  'tasks.answer': () => go(`inbox/${ids.waiting}.a1`),
  'tasks.claim': () => go(`inbox/${ids.waiting}.a1`),
  'tasks.release': claimed,
  'workflows.publish': drafted('Publish…'),
  'workflows.archive': after('workflows/echo/versions', 'Archive'),
  'webhooks.create': () => go('webhooks/new'),
  'webhooks.change': () => after(`webhooks/${ids.webhook}`, 'Edit')(),
  'webhooks.test': () => after(`webhooks/${ids.webhook}`, 'Send a test')(),
  'webhooks.delete': () => after(`webhooks/${ids.webhook}`, 'Delete')(),
  'webhooks.redeliver': () => go(`webhooks/${ids.webhook}`),
  'webhooks.redeliverFailed': () => after(`webhooks/${ids.webhook}`, 'Redeliver all failed')(),
  'schedules.create': () => go('schedules/new'),
  'schedules.change': after('schedules/going', 'Pause'),
  'schedules.delete': after('schedules/going', 'Delete'),
  'schedules.trigger': after('schedules/going', 'Run now'),
  'batches.create': withTable,
  'batches.delete': after('batches/done', 'Delete'),
  'batches.cancel': after('batches/going', 'Cancel'),
  'batches.retryFailed': after('batches/done', 'Retry 1 row'),
  'batches.retryRow': after('batches/done', 'Retry row 1'),
  'bulk.create': selected,
  'keys.create': after('settings/keys', 'Make a key'),
  'keys.revoke': async () => {
    const secret = await dashboard.api.keyOf('default', 'admin');
    await go('settings/keys');
    await dashboard.page.getByLabel('API key').fill(secret);
    await press('Sign in');
    await press(/^Revoke /);
    dashboard.expectErrors('401');
  },
  'intake.retry': inRow('operations/refused', 'refused', 'Retry'),
  'intake.drop': inRow('operations/refused', 'refused', 'Delete'),
  'limits.setTenant': inRow('operations/limits', 'acme all together', 'Change'),
  'limits.setWorkflow': inRow('operations/limits', 'acme echo', 'Change'),
  'limits.liftTenant': inRow('operations/limits', 'acme all together', 'Remove'),
  'limits.liftWorkflow': inRow('operations/limits', 'acme echo', 'Remove'),
  'queues.pause': after('operations/queues', 'Pause default'),
  'queues.resume': async () => {
    await send('POST', '/v1/queues/default/pause');
    await after('operations/queues', 'Resume default')();
    await send('POST', '/v1/queues/default/resume');
  },
};

/** Returns the copied forms on the page, by the labels of their buttons or items; items of closed menus included. */
async function formsOn(page: Page): Promise<Readonly<Record<string, string>>> {
  const read = async () =>
    page
      .locator('button[title], [role=menuitem][title]')
      .evaluateAll((all) => all.map((one) => [one.textContent?.trim() ?? '', one.getAttribute('title') ?? '']));
  const found = await read();
  const dialog = page.getByRole('dialog');
  const scope = (await dialog.count()) > 0 ? dialog : page;
  const menus = await scope.getByRole('button', { name: /^(Copy|More)$/ }).all();
  for (const menu of menus) {
    await menu.click();
    await page.getByRole('menu').waitFor();
    found.push(...(await read()));
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  }
  return Object.fromEntries(found);
}

// The last one makes the server ask for keys.
const names = [...Object.keys(ways).filter((name) => name !== 'keys.revoke'), 'keys.revoke'] as ActionName[];

it.each(names)('copies %s where it is done', async (name) => {
  await ways[name]();

  const { path, method } = routes[name];
  const wanted = new RegExp(`/v1${path.replace('/v1', '').replaceAll(/:\w+/g, "[^/?' ]+")}(?=[' ]|$)`);
  const isWanted = (text: string) =>
    text.startsWith('curl') && wanted.test(text) && (method === 'POST' || text.includes(`-X ${method}`));
  await expect
    .poll(
      async () => {
        const forms = await formsOn(dashboard.page);
        const label = Object.keys(forms).find((one) => / as curl$/.test(one) && isWanted(forms[one] ?? ''));
        return label === undefined ? Object.values(forms) : (forms[label.replace(/curl$/, 'CLI')] ?? `only ${label}`);
      },
      { timeout: 10_000 },
    )
    .toEqual(expect.stringMatching(/(^|\| |\n)millrace /));
});
