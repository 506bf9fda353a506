import { partsOf, routes } from '@millrace/client';
import { actions } from './actions.ts';
import type { ActionName, Call, Copied, InputOf, Query, QueryName } from './definition.ts';
import { copied } from './definition.ts';
import { queries } from './queries.ts';

const definitions: { readonly [N in ActionName | QueryName]: Query<N> } = { ...actions, ...queries };

/**
 * Returns an operation with its input in the forms in which it is copied: the command of its definition, and the request
 * that the client sends.
 */
export function copyOf<N extends ActionName | QueryName>(name: N, input: InputOf<N>, call: Call = {}): Copied {
  const { cli }: Query<N> = definitions[name];
  return { [copied]: true, ...cli(input, call), request: requestOf(name, input, call) };
}

function requestOf(name: ActionName | QueryName, input: object, { file }: Call): Copied['request'] {
  const route = routes[name];
  const { path, query, headers, body } = partsOf(route, input);
  const asked = Object.entries(query).flatMap(([field, values]) => values.map((value) => [field, value]));
  const target = asked.length === 0 ? path : `${path}?${new URLSearchParams(asked)}`;
  const accept = 'kind' in route && route.kind === 'events' ? { accept: 'text/event-stream' } : {};
  const request = { method: route.method, path: target, headers: { ...headers, ...accept } };
  if (body === undefined || Object.keys(body).length === 0) return request;
  if (file === undefined) return { ...request, body };
  const texts = Object.entries(body).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return { ...request, form: { ...Object.fromEntries(texts), file: `@${file}` } };
}
