import { describe, expect, it } from 'vitest';
import { startBrowser } from '../support/browser/browser.ts';
import { problemsOn, screensOf } from '../support/demo-ui/screen-problems.ts';
import { serveDemo } from '../support/demo-ui/serve-demo.ts';
import { openBeforeAll } from '../support/fixtures.ts';

/* Every screen of the dashboard with the runs of the demo, in both appearances and on screens of three widths. */

const demo = openBeforeAll(() => serveDemo(0));
const browser = openBeforeAll(startBrowser);

describe.each(['light', 'dark'] as const)('the dashboard in the appearance %s', (colorScheme) => {
  it.each([1440, 390, 320])(
    'is complete and without errors on a screen of %i pixels',
    async (width) => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const problems: Record<string, readonly string[]> = {};
      let errors: string[] = [];
      page.on('pageerror', ({ message }) => void errors.push(message));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) errors.push(message.text());
      });

      for (const screen of screensOf(demo.runs)) {
        errors = [];
        const found = [...(await problemsOn(page, demo.url, screen)), ...errors];
        if (found.length > 0) problems[screen.path] = found;
      }

      await page.close();
      expect(problems).toEqual({});
    },
    300_000,
  );
});
