import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dashboardRoot } from '../../support/browser/dashboard.ts';

/*
 * Budgets of the files that a browser loads when a screen needs them, compressed as the server sends them.
 */

const assets = join(dashboardRoot, 'assets');
const kilobytesOf = (pattern: RegExp, ending = ''): number =>
  readdirSync(assets)
    .filter((file) => pattern.test(file))
    .reduce((sum, file) => sum + statSync(join(assets, `${file}${ending}`)).size, 0) / 1024;

it.each([
  ['graph-tab', 85],
  ['markdown-body', 55],
  ['timeline-tab', 15],
  ['compare-screen', 15],
  ['compared-graph', 15],
  ['fork-dialog', 15],
  ['start-screen', 15],
  ['usage-chart', 25],
  ['workflow-editor', 150],
])('keeps %s below %i KB', (name, limit) => {
  const size = kilobytesOf(new RegExp(`^${name}-[^.]+\\.js$`), '.gz');

  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThan(limit);
});

it('keeps the fonts of Latin text below 90 KB', () => {
  const size = kilobytesOf(/-latin-wght-normal-[^.]+\.woff2$/);

  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThan(90);
});

it('is built without the developer tools of its libraries', () => {
  expect(readdirSync(assets).filter((file) => /jsx-dev|development/.test(file))).toEqual([]);
});
