import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../../support/browser/browser.ts';
import type { WatchedPage } from '../../support/browser/watched-page.ts';
import { openWatchedPage } from '../../support/browser/watched-page.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';

const root = new URL('../../../packages/dashboard/dist/reference', import.meta.url).pathname;

let api: ServedApi;
let browser: Browser;
/** Page that all tests use, one after the other: to render some hundred operations takes seconds. */
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [api, browser] = await Promise.all([serveApi({ reference: { root } }), sharedBrowser()]);
  watched = await openWatchedPage(browser, api.orchestrator.url);
  page = watched.page;
  await page.goto(`${api.orchestrator.url}/docs`);
  await operation('get', '/v1/runs').waitFor();
});
afterAll(async () => {
  await watched.context.close();
  await api.close();
});
afterEach(() => {
  expect(watched.errors()).toEqual([]);
});

/** The part of the page about an operation, by its method and path. */
const operation = (method: string, path: string) => page.locator(`.opblock-${method}:has([data-path="${path}"])`);

describe('the API reference', () => {
  it('groups operations by their resources', async () => {
    const groups = await page
      .locator('.opblock-tag')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-tag')));
    expect(groups.slice(0, 3)).toEqual(['runs', 'tasks', 'workflows']);
    expect(groups).toContain('server');
    await page.getByText('Open questions of runs to people').waitFor();
  });

  it('finds operations by words of their paths and descriptions', async () => {
    await page.getByPlaceholder('Filter by tag').fill('signal RUN');

    await operation('post', '/v1/runs/{id}/pause').waitFor({ state: 'detached' });
    await operation('post', '/v1/runs/{id}/signals/{name}').waitFor();
    expect(await page.locator('.opblock-tag').count()).toBe(1);
    await page.getByPlaceholder('Filter by tag').fill('');
    await operation('post', '/v1/runs').waitFor();
  });

  it('calls an operation on the server that it describes', async () => {
    await operation('post', '/v1/runs').locator('.opblock-summary').click();
    const example = await operation('post', '/v1/runs').locator('textarea.body-param__text').inputValue();
    expect(JSON.parse(example)).toMatchObject({ tags: ['first-try'] });
    await operation('post', '/v1/runs').getByRole('button', { name: 'Execute' }).click();
    await operation('post', '/v1/runs').locator('.live-responses-table').getByText('201').first().waitFor();

    await operation('get', '/v1/runs').locator('.opblock-summary').click();
    await operation('get', '/v1/runs').getByRole('button', { name: 'Execute' }).click();

    const response = operation('get', '/v1/runs').locator('.live-responses-table');
    await response.getByText('first-try').first().waitFor();
    expect(await response.textContent()).toContain('200');
    for (const method of ['get', 'post']) await operation(method, '/v1/runs').locator('.opblock-summary').click();
  });

  it('is served with a policy under which no foreign or inline code runs', async () => {
    const { status, headers } = await fetch(`${api.orchestrator.url}/docs`);

    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('sends a key that a reader enters', async () => {
    const key = await api.keyOf('default', 'read');
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('dialog').or(page.locator('.modal-ux')).getByRole('textbox').fill(key);
    await page
      .locator('.modal-ux')
      .getByRole('button', { name: /apply|authorize/i })
      .click();
    await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).click();
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/v1/runs');

    await operation('get', '/v1/runs').locator('.opblock-summary').click();
    await operation('get', '/v1/runs').getByRole('button', { name: 'Execute' }).click();

    expect((await sent).headers()['authorization']).toBe(`Bearer ${key}`);
    await operation('get', '/v1/runs').locator('.live-responses-table').getByText('200').first().waitFor();
  });
});
