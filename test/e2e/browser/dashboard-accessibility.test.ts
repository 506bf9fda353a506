import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { overflowOf, violationsOn } from '../../support/browser/accessibility.ts';
import { sharedBrowser } from '../../support/browser/browser.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';

const root = new URL('../../../packages/dashboard/dist', import.meta.url).pathname;
const asks = 'graph: { id: question, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';

const says =
  'graph: { id: says, nodes: [{ id: A, type: agent, config: { provider: scripted, name: m, params: { default: Hello. } } }] }';

let api: ServedApi;
let browser: Browser;
let run: string;
beforeAll(async () => {
  [api, browser] = await Promise.all([serveApi({ ui: { root } }), sharedBrowser()]);
  const response = await fetch(`${api.orchestrator.url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: { yaml: asks }, input: 'A text' }),
  });
  run = ((await response.json()) as { readonly runId: string }).runId;
  // The usage has something to show.
  await fetch(`${api.orchestrator.url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=20' },
    body: JSON.stringify({ workflow: { yaml: says } }),
  });
});
afterAll(async () => {
  await api.close();
});

/** Each screen, and a text that is there once it has loaded. */
const screens = [
  ['runs', 'question'],
  ['runs?status=failed', 'No run matches these filters.'],
  ['inbox', 'Is it good?'],
  ['inbox/RUN.a1', 'Claim 10 min'],
  ['runs/RUN/graph?n=Reviewer', 'Event of the journal'],
  ['runs/RUN/graph?view=table', 'Event of the journal'],
  ['runs/RUN/timeline', 'Reviewer'],
  ['runs/RUN/activations', 'a1'],
  ['runs/RUN/activations?a=a1', 'Is it good?'],
  ['runs/RUN/timeline?a=a1&by=node', 'Is it good?'],
  ['runs/RUN/activations?state=failed', 'No activation matches these filters.'],
  ['runs/RUN/conversation', 'A text'],
  ['runs/RUN/journal?at=1-1', 'run.started'],
  ['runs/RUN/journal', 'activation.suspended'],
  ['runs/RUN/files', 'No node of this run has written a file.'],
  ['runs/RUN/money', 'No node of this run has asked a model.'],
  ['runs/RUN/yaml?n=Reviewer', 'type: human'],
  ['usage', 'By day'],
  ['usage?by=workflow&show=tokens', 'By workflow'],
  ['usage?until=2020-01-01', 'Nothing was used in these days.'],
  ['operations/workers', 'Connected for'],
  ['operations/queues', 'Pause default'],
  ['operations/refused', 'No job was refused.'],
  ['operations/limits', 'There are no limits.'],
  ['settings/appearance', 'Keyboard'],
  ['settings/keys', 'There are no keys.'],
  ['settings/about', 'Licences'],
  ['nowhere', 'There is no such screen.'],
] as const;

/** Menus and dialogs that open over the graph of a run: how to open each, and what shows that it is open. */
const openings: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'the menu of commands': async (page) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem').first().waitFor();
  },
  'the question before it is cancelled': async (page) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Cancel The run ends/ }).click();
    await page.getByRole('dialog').waitFor();
  },
  'the question how it is forked': async (page) => {
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByRole('dialog').waitFor();
  },
};

describe.each(inject('appearances'))('in the appearance %s', (colorScheme) => {
  it('no screen has a violation of WCAG 2.2 A and AA that axe finds, or scrolls sideways at 400 %', async () => {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    const faults: Record<string, readonly string[]> = {};
    for (const [screen, text] of screens) {
      await page.goto(`${api.orchestrator.url}/ui/${screen.replace('RUN', run)}`);
      const ready = screen.includes('graph') ? page.getByRole('slider') : page.locator('main').getByText(text).last();
      await ready.waitFor();
      const found = [
        ...(await violationsOn(page, colorScheme)),
        ...(colorScheme === 'light' ? await overflowOf(page) : []),
      ];
      if (found.length > 0) faults[screen] = found;
    }
    await context.close();

    expect(faults).toEqual({});
  });

  it('no menu or dialog of a run has a violation', async () => {
    const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const faults: Record<string, readonly string[]> = {};
    for (const [opening, open] of Object.entries(openings)) {
      await page.goto(`${api.orchestrator.url}/ui/runs/${run}/graph?n=Reviewer`);
      await page.getByRole('slider').waitFor();
      await open(page);
      const found = await violationsOn(page, colorScheme);
      if (found.length > 0) faults[opening] = found;
    }
    await context.close();

    expect(faults).toEqual({});
  });
});

describe('a graph with forced colors and reduced motion', () => {
  it('has borders and words for states, and no animation', async () => {
    const context = await browser.newContext({ forcedColors: 'active', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${api.orchestrator.url}/ui/runs/${run}/graph`);
    const node = page.locator('[data-node="Reviewer"]');
    await node.getByText('waiting').waitFor();

    const looks = await node.evaluate((card) => {
      const style = card.ownerDocument.defaultView?.getComputedStyle(card);
      return [style?.getPropertyValue('border-top-width'), style?.getPropertyValue('border-top-style')];
    });

    expect(looks).toEqual(['2px', 'solid']);
    const animations = await page.locator(':root').evaluate((root) => root.ownerDocument.getAnimations().length);
    expect(animations).toBe(0);
    await context.close();
  });
});
