import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../../support/browser/browser.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';

const program = 'graph:\n  id: program\n  nodes:\n    - { id: Run, type: python, config: { code: print(1) } }\n';
const html = readFileSync(new URL('../../support/browser/hostile-page.html', import.meta.url));
const pages = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));

let api: ServedApi;
let browser: Browser;
/** A page on another port of this machine. */
let elsewhere: string;

beforeAll(async () => {
  [api, browser] = await Promise.all([serveApi(), startBrowser(['rebound.example'])]);
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  elsewhere = `http://localhost:${(pages.address() as AddressInfo).port}/`; // it listens on a port
});

afterAll(async () => {
  await browser.close();
  pages.close();
  await api.close();
});

async function open(url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

/** Runs one of the functions of the hostile page. */
const have = (page: Page, name: string, ...values: readonly string[]): Promise<unknown> =>
  page.evaluate(`${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`);

/** The requests that the API has answered with a status, as `POST /v1/runs`, and how many of each. */
async function answeredWith(status: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${api.orchestrator.url}/metrics`)).text();
  const pattern = new RegExp(
    `^millrace_http_request_seconds_count\\{method="(\\w+)",route="([^"]+)",status="${status}"\\} (\\d+)$`,
    'gm',
  );
  return Object.fromEntries(
    [...text.matchAll(pattern)].map(([, method, route, n]) => [`${method} ${route}`, Number(n)]),
  );
}

/** All that there is, as a program of this machine sees it. */
async function everything(): Promise<readonly unknown[]> {
  const names = ['runs', 'batches', 'schedules', 'webhooks', 'workflows'];
  const lists = await Promise.all(names.map((name) => ask(`${api.orchestrator.url}/v1/${name}`)));
  return lists.flatMap(({ body }) => body['data']);
}

describe('a page of another port, without API keys', () => {
  it('starts no run with requests that need no preflight', async () => {
    const page = await open(elsewhere);
    await have(page, 'sendWithoutPreflight', api.orchestrator.url, program);
    await have(page, 'sendWithoutPreflight', api.orchestrator.url.replace('127.0.0.1', 'localhost'), program);

    expect(await answeredWith(403)).toEqual({
      'POST /v1/batches': 2,
      'POST /v1/files': 2,
      'POST /v1/runs': 2,
      'POST /v1/runs/:id/cancel': 2,
      'POST /v1/queues/:queue/pause': 2,
      'POST /mcp': 2,
      'GET /v1/runs': 2,
      'GET /v1/runs/:id/events': 2,
    });
    expect(await everything()).toEqual([]);
    await page.close();
  });

  it('starts no run with a form', async () => {
    const page = await open(elsewhere);
    const answered = page.waitForResponse((response) => response.url().endsWith('/v1/batches'));
    await have(page, 'submitForm', api.orchestrator.url, program);

    expect((await answered).status()).toBe(403);
    expect(await everything()).toEqual([]);
    await page.close();
  });

  it('embeds no images, scripts and frames of the API, but a person can follow links to it', async () => {
    const page = await open(elsewhere);
    await have(page, 'embed', api.orchestrator.url);
    expect(await answeredWith(403)).toMatchObject({ 'GET /v1/workers': 1, 'GET /v1/tasks': 1, 'GET /v1/queues': 1 });

    const followed = page.waitForResponse((response) => response.url().endsWith('/admin/queues'));
    await have(page, 'follow', `${api.orchestrator.url}/admin/queues`);
    expect((await followed).status()).toBe(200);
    await page.close();
  });
});

it('denies reads to a page under a name that was rebound to this machine', async () => {
  const { port } = new URL(api.orchestrator.url);
  const page = await open(`http://rebound.example:${port}/openapi.json`);
  const asked = `Promise.all(['GET /v1/runs', 'POST /v1/files', 'GET /metrics'].map(async (request) => {
    const [method, path] = request.split(' ');
    return (await fetch(path, { method })).status;
  }))`;

  expect(await page.evaluate(asked)).toEqual([403, 403, 403]);
  await page.close();
});

it("allows the API's own pages", async () => {
  const page = await open(`${api.orchestrator.url}/openapi.json`);
  const asked = `Promise.all([
    fetch('/v1/runs'),
    fetch('/v1/workflows/validate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"yaml":""}',
    }),
  ]).then((answers) => answers.map(({ status }) => status))`;

  expect(await page.evaluate(asked)).toEqual([200, 200]);
  await page.close();
});
