import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Appearance } from '../../support/browser/accessibility.ts';
import { overflowOf, violationsOn } from '../../support/browser/accessibility.ts';
import { useDashboard } from '../../support/browser/dashboard.ts';

const asks = 'graph: { id: question, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';
const dashboard = useDashboard();

beforeAll(async () => {
  await dashboard.start(asks, {
    tags: ['nightly'],
    input: 'A text that is long enough to be cut off on a telephone, surely',
  });
});

const refusal = (status: number, code: string, detail: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status, code, detail, requestId: 'req-42', title: '', type: '', instance: '' }),
});

const lists = '**/v1/runs?**';
const problem = (page: Page) => page.getByRole('alert').first();

/** States of the list of runs, and what is opened over it: how each comes about, and what shows that it has. */
const states: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'the palette': async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
  },
  'the sheet of shortcuts': async (page) => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  },
  'the account menu': async (page) => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem').first().waitFor();
  },
  'a selection, and the question before it is cancelled': async (page) => {
    await page.locator('tr[data-run] input').first().check();
    await page.getByRole('button', { name: /^Cancel 1/ }).click();
    await page.getByRole('dialog').waitFor();
  },
  'a list that is held': async (page) => {
    await page.locator('[data-connection="live"]').waitFor();
    await page.keyboard.press('l');
    await page.locator('[data-connection="still"]').waitFor();
  },
  'a filter': async (page) => {
    await page.goto(dashboard.url('/ui/runs?tag=nightly&since=24h'));
    await page.locator('tr[data-run]').first().waitFor();
  },
  'an error': async (page) => {
    await page.route(lists, (route) => route.fulfill(refusal(500, 'INTERNAL', 'The server had an internal error.')));
    await page.goto(dashboard.url('/ui/runs'));
    await problem(page).getByText('request req-42').waitFor();
  },
  'a refusal': async (page) => {
    await page.route(lists, (route) => route.fulfill(refusal(403, 'SCOPE_MISSING', 'This needs a key with "read".')));
    await page.goto(dashboard.url('/ui/runs'));
    await problem(page).getByRole('link', { name: 'SCOPE_MISSING' }).waitFor();
  },
  'a run that is gone': async (page) => {
    await page.goto(dashboard.url('/ui/runs/run_nothing'));
    await problem(page).getByText('There is no run run_nothing.').waitFor();
  },
  'a part of a list': async (page) => {
    const short = { data: [], looked: 1_000, nextCursor: '1.run_1' };
    await page.route(lists, (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(short) }));
    await page.goto(dashboard.url('/ui/runs?q=nothing'));
    await page.getByText('Looked through 1,000 runs, 0 match.').waitFor();
  },
  'a server that is away': async (page) => {
    await page.context().setOffline(true);
    await page.getByText('The server does not answer.').waitFor({ timeout: 30_000 });
  },
  'the settings': async (page) => {
    await page.goto(dashboard.url('/ui/settings'));
    await page.getByText('Millrace', { exact: false }).last().waitFor();
  },
  'the sign-in': async (page) => {
    await page.route('**/v1/me', (route) => route.fulfill(refusal(401, 'KEY_MISSING', 'The request has no API key.')));
    await page.goto(dashboard.url('/ui/sign-in'));
    await page.getByLabel('API key').waitFor();
  },
};

async function openWith(options: Parameters<typeof dashboard.browser.newContext>[0]): Promise<Page> {
  const context = await dashboard.browser.newContext(options);
  const page = await context.newPage();
  await begin(page);
  return page;
}

/** Opens the list of runs as it is without any of the states. */
async function begin(page: Page): Promise<void> {
  await page.context().setOffline(false);
  await page.unrouteAll();
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(dashboard.url('/ui/runs'));
  await page.locator('tr[data-run]').first().waitFor();
}

/** Returns what a state does that it must not, in words. */
const faultsOf = async (page: Page, appearance: Appearance): Promise<readonly string[]> => [
  ...(await violationsOn(page, appearance)),
  ...(appearance === 'light' ? await overflowOf(page) : []),
];

describe.each(inject('appearances'))('in the appearance %s', (colorScheme) => {
  it('no dialog, menu or state of the list has a violation of WCAG 2.2 A and AA that axe finds, or scrolls sideways', async () => {
    const faults: Record<string, readonly string[]> = {};
    const page = await openWith({ colorScheme, reducedMotion: 'reduce' });
    for (const [state, reach] of Object.entries(states)) {
      await reach(page);
      const found = await faultsOf(page, colorScheme);
      if (found.length > 0) faults[state] = found;
      await begin(page);
    }
    await page.context().close();

    expect(faults).toEqual({});
  });
});

describe('with forced colors', () => {
  it('selection is still visible', async () => {
    const page = await openWith({ forcedColors: 'active' });
    await page.keyboard.press('Control+k');
    const marked = page.getByRole('option', { selected: true });
    await marked.waitFor();

    const line = await marked.evaluate((option) =>
      option.ownerDocument.defaultView?.getComputedStyle(option).getPropertyValue('outline-style'),
    );
    expect(line).toBe('solid');
    await page.context().close();
  });
});
