import { fieldNamesOf, operations } from '@millrace/api';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(serveApi);

const load = (path: string) => fetch(`${api.orchestrator.url}${path}`);

it('is a valid document of OpenAPI 3.1', async () => {
  const document = (await (await load('/openapi.json')).json()) as Record<string, unknown>; // it is an object
  const check = (what: Record<string, unknown>) => new Validator().validate(structuredClone(what));

  expect(await check(document)).toEqual({ valid: true });
  expect(await check({ ...document, paths: { '/v1/runs': { get: { parameters: 'none' } } } })).toMatchObject({
    valid: false,
  });
});

/** Those of the description itself, and the address of another protocol; what is below /admin is for eyes. */
const undescribed = new Set(['/', '/openapi.json', '/mcp']);

it('describes authentication, idempotency keys and uploads', async () => {
  const { paths, components, security } = (await (await load('/openapi.json')).json()) as Document;
  const takesKey = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key');

  expect(components.securitySchemes).toMatchObject({ key: { type: 'http', scheme: 'bearer' } });
  expect(security).toEqual([{ key: [] }]);
  expect(paths['/healthz']?.['get']).toMatchObject({ security: [] });
  const keyed = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => (takesKey(operation) ? [`${method} ${path}`] : [])),
  );
  expect(keyed).toEqual(expect.arrayContaining(['post /v1/runs', 'patch /v1/schedules/{id}', 'delete /v1/keys/{id}']));
  for (const never of ['post /v1/files', 'post /v1/keys', 'post /v1/webhooks']) expect(keyed).not.toContain(never);
  expect(keyed.filter((name) => name.startsWith('get '))).toEqual([]);
  expect(paths['/v1/files']?.['post']).toMatchObject({
    requestBody: { content: { 'multipart/form-data': { schema: { properties: { file: { format: 'binary' } } } } } },
  });
});

it('contains every route of the API', async () => {
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

it('has a short name of each operation, and describes each response', async () => {
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

it('groups operations by their resources, each of which it explains', async () => {
  const { paths, tags } = (await (await load('/openapi.json')).json()) as Document;
  const grouped = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags));

  expect(new Set(grouped)).toEqual(new Set(tags.map(({ name }) => name)));
  expect(tags[0]).toMatchObject({ name: 'runs', description: expect.stringContaining('Executions of workflows') });
});

it('has an example of each body, which the operation accepts', async () => {
  const { paths } = (await (await load('/openapi.json')).json()) as Document;
  const withBody = operations.filter(({ body }) => body !== undefined && fieldNamesOf(body).length > 0);

  expect(withBody.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  for (const { name, body, example } of withBody)
    expect([name, body?.safeParse(example).error]).toEqual([name, undefined]);
  expect(paths['/v1/tasks/{id}/answer']?.['post']).toMatchObject({
    operationId: 'tasks.answer',
    requestBody: { content: { 'application/json': { example: { text: 'ACCEPT' } } } },
  });
  const upload = paths['/v1/batches/preview']?.['post'];
  expect(upload).toHaveProperty(['requestBody', 'content', 'multipart/form-data', 'example', 'columns']);
  expect(upload).not.toHaveProperty(['requestBody', 'content', 'application/json']);
});

interface Operation {
  readonly summary?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: object;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly securitySchemes: object };
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string }[];
}
