import type { EventOperations, OperationInput, OperationName } from '@millrace/client';
import { partsOf, routes } from '@millrace/client';
import { cliLines } from '../../generated/cli-lines.ts';
import type { CommandLine } from './command-line.ts';
import { commandLineOf, quoted } from './command-line.ts';

/** Operation that is copied: one whose definition has a line `cli`. */
export type CopiedName = keyof typeof cliLines;

/** Input of an operation. */
export type InputOf<N extends CopiedName> = N extends OperationName
  ? OperationInput<N>
  : N extends keyof EventOperations
    ? EventOperations[N]['input']
    : never;

/** HTTP request of an operation. */
interface CopiedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path on the server, such as `/v1/runs`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of a form instead of a body; `@NAME` is a file. */
  readonly form?: Readonly<Record<string, string>>;
}

const derived: unique symbol = Symbol('derived');

/** An operation as a command and as a request, for copying. Only `copyOf` creates it, so that both derive from its definition. */
export type OperationCopy = CommandLine & { readonly request: CopiedRequest; readonly [derived]: true };

/** Returns an operation with its input as a command and as a request; `file` is the name of the file that a form sends. */
export const copyOf = <N extends CopiedName>(
  name: N,
  input: InputOf<N>,
  { file }: { readonly file?: string } = {},
): OperationCopy => ({
  [derived]: true,
  ...commandLineOf(cliLines[name], { ...input, file: file ?? 'table.csv' }),
  request: requestOf(name, input, file),
});

function requestOf(name: CopiedName, input: object, file: string | undefined): CopiedRequest {
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

/** Returns a request as a command of curl, which takes the key from the environment; `isOpen`: the server requires none. */
export function curlOf(
  { method, path, body, headers = {}, form = {} }: CopiedRequest,
  { origin, isOpen = true }: { readonly origin: string; readonly isOpen?: boolean },
): string {
  const fields = Object.entries(form).flatMap(([name, value]) => ['-F', `${name}=${value}`]);
  const sent = body === undefined ? fields : ['--json', JSON.stringify(body)];
  // curl sends a body as POST by default.
  const isImplied = sent.length === 0 ? method === 'GET' : method === 'POST';
  const flags = isImplied ? [] : ['-X', method];
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const key = isOpen ? '' : ' -H "Authorization: Bearer $MILLRACE_API_KEY"';
  return ['curl', ...flags, `${origin}${path}`, ...named, ...sent].map(quoted).join(' ') + key;
}
