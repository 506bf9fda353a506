import { omitUndefined } from '@millrace/core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { ServedApi } from '../http/api.ts';
import { serveApi } from '../http/api.ts';
import { sharedBrowser } from './browser.ts';
import type { PageOptions, WatchedPage } from './watched-page.ts';
import { openWatchedPage } from './watched-page.ts';

/** Folder of the built dashboard. */
export const dashboardRoot = new URL('../../../packages/dashboard/dist', import.meta.url).pathname;

/** The dashboard in a browser, on an installation that the tests of one file share. */
export interface Dashboard {
  readonly api: ServedApi;
  readonly browser: Browser;
  /** Storage and cookies of this test. */
  readonly context: BrowserContext;
  /** Page of this test: as a new one, though it is that of the test before. */
  readonly page: Page;
  /** Gives this test a page that no other test has, for what a page keeps: its clock, scripts of its start, options. */
  ownPage(options?: BrowserContextOptions): Promise<Page>;
  /** Returns the address of a path of the server, such as `/ui/runs`. */
  url(path: string): string;
  /** Starts a run with the text of a workflow. Returns its id. */
  start(yaml: string, more?: { readonly input?: string; readonly tags?: readonly string[] }): Promise<string>;
  /** Asks the API, and returns what it answers. */
  send(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Accepts errors of the console that have a text, such as those of a refused request. */
  expectErrors(text: string): void;
}

interface Current {
  api: ServedApi;
  browser: Browser;
  /** Page that the tests of the file use one after the other, while none of them has failed on it. */
  shared: WatchedPage | undefined;
  test: WatchedPage;
}

/** Settings of the API, and the time for which pages wait for an element. */
type DashboardSettings = NonNullable<Parameters<typeof serveApi>[0]> & Pick<PageOptions, 'waitMs'>;

/**
 * Serves the dashboard to the tests of the file that calls this, each with a page as if it were new. A test fails when its
 * page has errors, violations of the content security policy included, or asks another server.
 */
export function useDashboard({ waitMs, ...settings }: DashboardSettings = {}): Dashboard {
  // The hooks below set each before a test reads it.
  const current = {} as Current;
  let expected: string[] = [];
  const url = (path: string): string => `${current.api.orchestrator.url}${path}`;

  const send: Dashboard['send'] = async (method, path, body) => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(url(path), { method, ...(body === undefined ? {} : json) });
    return (await response.json()) as Record<string, unknown>; // of the contract
  };

  beforeAll(async () => {
    [current.api, current.browser] = await Promise.all([
      serveApi({ ui: { root: dashboardRoot }, ...settings }),
      sharedBrowser(),
    ]);
  });
  afterAll(async () => {
    await Promise.all(current.browser.contexts().map((context) => context.close()));
    await current.api.close();
  });
  beforeEach(async () => {
    expected = [];
    current.shared ??= await openWatchedPage(current.browser, url(''), omitUndefined({ waitMs }));
    current.test = current.shared;
  });
  afterEach(async ({ task }) => {
    const { shared, test } = current;
    const isReusable = test === shared && task.result?.state !== 'fail' && !test.page.isClosed();
    if (isReusable) await test.reset();
    else {
      await test.context.close();
      if (test === shared) current.shared = undefined;
    }
    expect(test.errors().filter((error) => !expected.some((text) => error.includes(text)))).toEqual([]);
  });

  return {
    get api() {
      return current.api;
    },
    get browser() {
      return current.browser;
    },
    get context() {
      return current.test.context;
    },
    get page() {
      return current.test.page;
    },
    async ownPage(options) {
      current.test = await openWatchedPage(current.browser, url(''), options);
      return current.test.page;
    },
    url,
    start: async (yaml, { input = 'A text', tags = [] } = {}) =>
      String((await send('POST', '/v1/runs', { workflow: { yaml }, input, tags }))['runId']),
    send,
    expectErrors(text) {
      expected.push(text);
    },
  };
}
