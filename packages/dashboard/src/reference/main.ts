import 'swagger-ui-dist/swagger-ui.css';
import './reference.css';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const place = document.getElementById('reference');
if (place === null) throw new Error('The page has no element with the id "reference".');
SwaggerUI({
  domNode: place,
  url: '/openapi.json',
  plugins: [() => ({ fn: { opsFilter: filterOperations } })],
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  requestInterceptor: withSession,
  // Without it, the page would send the document to a third-party server.
  validatorUrl: null,
});

/** A list of Immutable.js, in which Swagger UI holds operations. */
interface List<T> {
  filter(keeps: (item: T) => boolean): List<T>;
  readonly size: number;
}

/** Groups of operations by their names, in a map of Immutable.js. */
interface Groups {
  map(change: (group: Group, name: string) => Group): Groups;
  filter(keeps: (group: Group) => boolean): Groups;
}

interface Group {
  get(key: 'operations'): List<Operation>;
  set(key: 'operations', operations: List<Operation>): Group;
}

interface Operation {
  get(key: 'path' | 'method'): string;
  getIn(path: readonly ['operation', 'summary' | 'description' | 'operationId'], absent: string): string;
}

/**
 * Returns the groups with those operations whose path, method, name or description contains each word of a phrase; all of
 * a group whose name does. Swagger UI itself would compare the names of groups only.
 */
function filterOperations(groups: Groups, phrase: string): Groups {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  return groups
    .map((group, name) =>
      holds(name)
        ? group
        : group.set(
            'operations',
            group.get('operations').filter((each) => holds(textOf(each))),
          ),
    )
    .filter((group) => group.get('operations').size > 0);
}

const textOf = (operation: Operation): string =>
  [
    operation.get('method'),
    operation.get('path'),
    ...(['operationId', 'summary', 'description'] as const).map((field) => operation.getIn(['operation', field], '')),
  ].join(' ');

/** A request that Swagger UI is about to send. */
interface SentRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
}

let token: Promise<string | undefined> | undefined;

/**
 * Returns a request with the header that shows, if a browser is signed in to the dashboard, that the request comes from
 * a page of the server. Requests with a key need none.
 */
async function withSession(request: SentRequest): Promise<SentRequest> {
  const { method = 'GET', headers } = request;
  if (method === 'GET' || headers['Authorization'] !== undefined) return request;
  token ??= readToken();
  const found = await token;
  return found === undefined ? request : { ...request, headers: { ...headers, 'X-Millrace-UI': found } };
}

async function readToken(): Promise<string | undefined> {
  const response = await fetch('/v1/me');
  if (!response.ok) return undefined;
  const { csrf } = (await response.json()) as { readonly csrf?: string };
  return csrf;
}
