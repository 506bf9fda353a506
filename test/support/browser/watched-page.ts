import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A page that notes its errors, with a context of its own, which tests can use one after the other. */
export interface WatchedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Returns the errors since the last call: of scripts, of the console (violations of the policy included), and requests to other servers. */
  errors(): readonly string[];
  /** Puts the page back to how it began: no requests, stored data, permissions or other pages, and the first size. */
  reset(): Promise<void>;
}

const viewport = { width: 1280, height: 720 };

/** Options of a page: those of its context, and the time for which it waits for an element. */
export type PageOptions = BrowserContextOptions & { readonly waitMs?: number };

/** Opens a page that asks nobody but `origin`. */
export async function openWatchedPage(
  browser: Browser,
  origin: string,
  { waitMs = 60_000, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport, ...options });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let errors: string[] = [];

  const watch = () => {
    context.on('weberror', (error) => void errors.push(error.error().message));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    context.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(`${origin}/`))
        errors.push(`asked ${request.url()}`);
    });
  };
  watch();

  return {
    context,
    page,
    errors() {
      const noted = errors;
      errors = [];
      return noted;
    },
    async reset() {
      await Promise.all(context.pages().map((each) => (each === page ? undefined : each.close())));
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.setOffline(false);
      // A page of the same origin: another one would end the process of the page.
      await page.goto(`${origin}/healthz`);
      for (const event of ['request', 'response', 'dialog', 'download']) page.removeAllListeners(event);
      for (const event of ['request', 'weberror', 'console']) context.removeAllListeners(event);
      watch();
      await Promise.all([
        session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' }),
        context.clearCookies(),
        context.clearPermissions(),
        page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference', forcedColors: 'none' }),
        page.setViewportSize(viewport),
        page.mouse.move(0, 0),
      ]);
    },
  };
}
