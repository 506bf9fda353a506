import { operations } from '@millrace/api';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(serveApi);

/** Routes whose requests or responses are more than JSON: uploads, tables, streams, contents, cookies, pages and other protocols. */
const byHand = [
  'POST /v1/files',
  'GET /v1/files/:id',
  'POST /v1/batches',
  'POST /v1/batches/preview',
  'POST /v1/sign-in',
  'DELETE /v1/sign-in',
  'GET /v1/events',
  'GET /v1/runs/:id/events',
  'GET /v1/runs/:id/archive',
  'GET /v1/runs/:id/artifacts/:file',
  'GET /v1/runs/:id/artifacts.zip',
  'GET /v1/runs/:id/messages/:mid/text',
  'GET /v1/tasks/:id/attachments/:file',
  'GET /mcp',
  'POST /mcp',
  'DELETE /mcp',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /admin/queues',
  'GET /admin/queues/*',
  'GET /openapi.json',
  'GET /',
];

const nameOf = ({ method, url }: { readonly method: string; readonly url: string }): string => `${method} ${url}`;
const routeOf = ({ method, path }: (typeof operations)[number]): string => `${method} ${path}`;

describe('the routes of the API', () => {
  it('are made from operations, except for those that carry more than JSON', () => {
    const known = new Set([...byHand, ...operations.map(routeOf)]);
    const routes = api.orchestrator.routes.filter(({ method }) => method !== 'HEAD');

    expect(routes.map(nameOf).filter((name) => !known.has(name))).toEqual([]);
  });

  it('include one for each operation, and each hand-written one', () => {
    const routes = new Set(api.orchestrator.routes.map(nameOf));

    expect([...byHand, ...operations.map(routeOf)].filter((name) => !routes.has(name))).toEqual([]);
  });

  it('share a path with an operation only where it declares that', () => {
    const shared = operations.filter((one) => byHand.includes(routeOf(one)));

    expect(shared.map(({ sharesPath }) => sharesPath)).toEqual(shared.map(() => true));
    expect(operations.filter(({ sharesPath }) => sharesPath)).toEqual(shared);
  });

  it('have operations with unique names', () => {
    const names = operations.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
