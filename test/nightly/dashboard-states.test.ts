import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startBrowser } from '../support/browser/browser.ts';
import { screenStates, statefulScreens } from '../support/browser/screen-states.ts';
import { serveDemo } from '../support/demo-ui/serve-demo.ts';
import { openBeforeAll } from '../support/fixtures.ts';

/* Every screen of the dashboard in every state that servers, keys and connections can put it into. */

const demo = openBeforeAll(() => serveDemo(0));
const browser = openBeforeAll(startBrowser);

async function faultsOf(page: Page): Promise<readonly string[]> {
  const title = await page.locator('main h1').textContent();
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  return [...(title === '' ? ['no title'] : []), ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)];
}

describe.each(screenStates)('the state $name', ({ applies, reach }) => {
  it('is shown by every screen that can be in it, without violations that axe finds', {
    timeout: 600_000,
  }, async () => {
    const faults: Record<string, unknown> = {};
    for (const screen of statefulScreens(demo.runs).filter(applies)) {
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      page.on('pageerror', ({ message }) => {
        faults[screen.path] = message;
      });
      try {
        await reach(page, `${demo.url}/ui/${screen.path}`);
        const found = await faultsOf(page);
        if (found.length > 0) faults[screen.path] = found;
      } catch (error) {
        faults[screen.path] = error instanceof Error ? error.message : error;
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }

    expect(faults).toEqual({});
  });
});
