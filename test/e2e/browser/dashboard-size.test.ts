import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dashboardRoot, useDashboard } from '../../support/browser/dashboard.ts';

const fileOf = (name: string): string => `${dashboardRoot}/assets/${name}`;

/** Returns a file with all that it imports at once. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ''] of readFileSync(fileOf(name), 'utf8').matchAll(
    /(?:from|import)\s*"\.\/([\w-]+\.js)"/g,
  )) {
    withImports(imported, found);
  }
  return found;
}

const compressedKilobytes = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + statSync(`${fileOf(name)}.gz`).size, 0) / 1024;

const firstFiles = (pattern: RegExp): readonly string[] =>
  [...readFileSync(`${dashboardRoot}/index.html`, 'utf8').matchAll(pattern)].map(([, name = '']) => name);

describe('the first load of the dashboard', () => {
  it('has at most 200 KB of compressed scripts', () => {
    const scripts = firstFiles(/\/assets\/([\w-]+\.js)"/g).flatMap((name) => [...withImports(name)]);

    expect(scripts.length).toBeGreaterThan(0);
    expect(compressedKilobytes(new Set(scripts))).toBeLessThan(200);
  });

  it('has at most 12 KB of compressed styles', () => {
    expect(compressedKilobytes(firstFiles(/\/assets\/([\w-]+\.css)"/g))).toBeLessThan(12);
  });
});

describe('a list of 100,000 runs', () => {
  const dashboard = useDashboard();
  const pageRows = 100;
  const newestAt = Date.parse('2026-01-31T12:00:00Z');

  const runAt = (place: number) => ({
    runId: `run_${String(place).padStart(8, '0')}`,
    workflow: 'many',
    plan: 'f24bc4a0',
    status: 'completed',
    title: `Run ${place}`,
    tags: ['many'],
    startedAt: newestAt - place * 1_000,
    finishedAt: newestAt - place * 1_000 + 500,
  });

  const pageAt = (first: number) => ({
    data: Array.from({ length: pageRows }, (_, index) => runAt(first + index)),
    looked: pageRows,
    nextCursor: first + pageRows < 100_000 ? String(first + pageRows) : null,
  });

  it('has few elements at every scroll position, keeps 30 pages, and loads others again', async () => {
    const { page } = dashboard;
    const asked: number[] = [];
    await page.route('**/v1/runs?**', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const until = query.get('until');
      const first = Number(query.get('cursor') ?? (until === null ? 0 : Math.ceil((newestAt - Number(until)) / 1_000)));
      asked.push(first);
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify(pageAt(Math.max(0, first))) });
    });
    const counts = { completed: 100_000, capped: false };
    await page.route('**/v1/runs/counts**', (route) =>
      route.fulfill({ contentType: 'application/json', body: JSON.stringify(counts) }),
    );
    // The stream of the server, which would tell the number of its own runs every 15 seconds, is never answered.
    await page.route('**/v1/events**', () => undefined);
    await page.goto(dashboard.url('/ui/runs?status=completed'));
    await page.getByRole('link', { name: 'Run 0', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('table').getAttribute('aria-rowcount')).toBe('100001');

    // Pages that are shown may be asked for again meanwhile, so the number of requests does not tell how far it is.
    const scrolled = async (): Promise<number> => {
      await page.mouse.wheel(0, 1_000_000);
      return Math.max(...asked);
    };
    await expect.poll(scrolled, { timeout: 60_000 }).toBeGreaterThanOrEqual(3_600);
    await page
      .locator('tr[data-run]', { hasText: /Run (3[3-9]|[4-9]\d)\d\d/ })
      .first()
      .waitFor();
    // While it scrolls, rows of before and after are there for a moment.
    await expect.poll(() => page.locator('*').count()).toBeLessThan(700);
    const before = asked.length;
    await page.mouse.wheel(0, -10_000_000);
    await page.getByRole('link', { name: 'Run 0', exact: true }).waitFor();

    expect(asked.slice(before)).toContain(0);
    const first = page.locator('tr[data-run]').first();
    expect(await first.getAttribute('aria-rowindex')).toBe('2');
  });
});
