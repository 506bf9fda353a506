import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { ServedApi } from '../http/api.ts';
import { serveApi } from '../http/api.ts';
import { sharedBrowser } from './browser.ts';

/** Folder of the built dashboard. */
export const dashboardRoot = new URL('../../../packages/dashboard/dist', import.meta.url).pathname;

/** The dashboard in a browser, on an installation that the tests of one file share. */
export interface Dashboard {
  readonly api: ServedApi;
  readonly browser: Browser;
  /** Storage and cookies of this test. */
  readonly context: BrowserContext;
  /** Page of this test. */
  readonly page: Page;
  /** Returns the address of a path of the server, such as `/ui/runs`. */
  url(path: string): string;
  /** Starts a run with the text of a workflow. Returns its id. */
  start(yaml: string, more?: { readonly input?: string; readonly tags?: readonly string[] }): Promise<string>;
  /** Accepts errors of the console that have a text, such as those of a refused request. */
  expectErrors(text: string): void;
}

interface Current {
  api: ServedApi;
  browser: Browser;
  context: BrowserContext;
  page: Page;
}

/**
 * Serves the dashboard to the tests of the file that calls this, each with a page of its own. A test fails when its page
 * has errors, violations of the content security policy included, or asks another server.
 */
export function useDashboard(settings: Parameters<typeof serveApi>[0] = {}): Dashboard {
  // The hooks below set each before a test reads it.
  const current = {} as Current;
  let errors: string[] = [];
  let expected: string[] = [];
  const url = (path: string): string => `${current.api.orchestrator.url}${path}`;

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
    errors = [];
    expected = [];
    current.context = await current.browser.newContext();
    current.context.setDefaultTimeout(15_000);
    current.context.on('weberror', (error) => void errors.push(error.error().message));
    current.context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    current.context.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(url('/'))) errors.push(`asked ${request.url()}`);
    });
    current.page = await current.context.newPage();
  });
  afterEach(async () => {
    await current.context.close();
    expect(errors.filter((error) => !expected.some((text) => error.includes(text)))).toEqual([]);
  });

  return {
    get api() {
      return current.api;
    },
    get browser() {
      return current.browser;
    },
    get context() {
      return current.context;
    },
    get page() {
      return current.page;
    },
    url,
    async start(yaml, { input = 'A text', tags = [] } = {}) {
      const response = await fetch(url('/v1/runs'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ workflow: { yaml }, input, tags }),
      });
      return ((await response.json()) as { readonly runId: string }).runId;
    },
    expectErrors(text) {
      expected.push(text);
    },
  };
}
