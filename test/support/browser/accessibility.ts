import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** An appearance of the dashboard. */
export type Appearance = 'light' | 'dark';

declare module 'vitest' {
  interface ProvidedContext {
    /** Appearances in which screens are checked: one in `npm test`, all in the nightly tests. */
    readonly appearances: readonly Appearance[];
  }
}

/** Returns the violations of WCAG 2.2 A and AA that axe finds on a page; in dark only those of colours, as nothing else differs. */
export async function violationsOn(page: Page, appearance: Appearance = 'light'): Promise<readonly string[]> {
  // The dashboard has no frames of other origins, for which axe would open a second page each time.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const rules =
    appearance === 'dark'
      ? ({ type: 'rule', values: ['color-contrast'] } as const)
      : ({ type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] } as const);
  const { violations } = await axe
    .options({ runOnly: { type: rules.type, values: [...rules.values] }, resultTypes: ['violations'] })
    .analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Returns by how much a page scrolls sideways at a zoom of 400 %, which is 320 pixels wide. */
export async function overflowOf(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 320, height: 640 });
  const by = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
  await page.setViewportSize(before);
  return by > 0 ? [`scrolls sideways by ${by} pixels`] : [];
}
