import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServedApi } from '../support/api.ts';
import { serveApi } from '../support/api.ts';

let api: ServedApi;

beforeAll(async () => {
  api = await serveApi();
});

afterAll(() => api.close());

const load = (path: string) => fetch(`${api.orchestrator.url}${path}`);

it('describes itself in a valid document of OpenAPI 3.1', async () => {
  const document = (await (await load('/openapi.json')).json()) as Record<string, unknown>; // it is an object
  const check = (what: Record<string, unknown>) => new Validator().validate(structuredClone(what));

  expect(await check(document)).toEqual({ valid: true });
  expect(await check({ ...document, paths: { '/v1/runs': { get: { parameters: 'none' } } } })).toMatchObject({
    valid: false,
  });
});

/** Those of the description itself, and the address of another protocol; what is below /admin is for eyes. */
const undescribed = new Set(['/openapi.json', '/docs', '/mcp']);

it('leaves no route of its own out', async () => {
  const { paths } = (await (await load('/openapi.json')).json()) as Document;
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = api.orchestrator.routes
    .filter(({ method, url }) => method !== 'HEAD' && !undescribed.has(url) && !url.startsWith('/admin/'))
    .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);

  expect(described.toSorted()).toEqual(routes.toSorted());
  expect(described).toContain('POST /v1/runs/{id}/fork');
});

it('names every operation shortly, and describes every answer', async () => {
  const { paths } = (await (await load('/openapi.json')).json()) as Document;
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { summary = '', responses }] of Object.entries(item)) {
      expect({ path, method, short: summary.length > 0 && summary.length < 100 }).toEqual({
        path,
        method,
        short: true,
      });
      expect(Object.keys(responses)).not.toEqual([]);
    }
  }
});

it('shows people all of that on a page that fetches and runs nothing', async () => {
  const response = await load('/docs');
  const page = await response.text();

  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page).toContain('<code>/v1/workflows/{name}/versions</code>');
  expect(page).toContain('<a href="#Run">Run</a>');
  expect(page).toContain('<section id="Run">');
  expect(page).not.toMatch(/<script|src=|url\(|<link|@import/);
});

interface Document {
  readonly paths: Record<string, Record<string, { readonly summary?: string; readonly responses: object }>>;
}
