import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../../support/browser/browser.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';

const root = new URL('../../../packages/dashboard/dist', import.meta.url).pathname;
const asks = 'graph: { id: question, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';

let api: ServedApi;
let browser: Browser;
let run: string;
beforeAll(async () => {
  [api, browser] = await Promise.all([serveApi({ ui: { root } }), startBrowser()]);
  const response = await fetch(`${api.orchestrator.url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: { yaml: asks }, input: 'A text' }),
  });
  run = ((await response.json()) as { readonly runId: string }).runId;
});
afterAll(async () => {
  await browser.close();
  await api.close();
});

/** Each screen, and a text that is there once it has loaded. */
const screens = [
  ['runs', 'question'],
  ['runs?status=failed', 'No run matches these filters.'],
  ['inbox', 'Is it good?'],
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
  ['nowhere', 'There is no such screen.'],
] as const;

describe.each(['light', 'dark'] as const)('in the appearance %s', (colorScheme) => {
  it('no screen has a violation of WCAG 2.2 A and AA that axe finds', async () => {
    const context: BrowserContext = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    const violations: Record<string, readonly string[]> = {};
    for (const [screen, text] of screens) {
      await page.goto(`${api.orchestrator.url}/ui/${screen.replace('RUN', run)}`);
      const ready = screen.includes('graph') ? page.getByRole('slider') : page.locator('main').getByText(text).last();
      await ready.waitFor();
      const axe = new AxeBuilder({ page });
      // Only colours differ between the appearances.
      const { violations: found } = await (colorScheme === 'dark'
        ? axe.withRules(['color-contrast'])
        : axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      ).analyze();
      if (found.length > 0)
        violations[screen] = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }
    await context.close();

    expect(violations).toEqual({});
  });
});
