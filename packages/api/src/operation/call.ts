import type { Scope } from '@millrace/core';
import { defaultTenant, RequestError } from '@millrace/core';
import type { z } from 'zod';
import { assertRedis } from './background.ts';
import type { Context, OperatorContext } from './context.ts';
import type { Operation, OperationResult, RequiredScope } from './operation.ts';
import { fieldNamesOf } from './operation.ts';
import type { RequestPart } from './refusal.ts';
import { malformed, problemDetailsOf } from './refusal.ts';

/**
 * Calls an operation in this process and returns the JSON that HTTP would return: the response, parsed by its schema.
 * Throws RequestError where HTTP answers with a problem.
 */
export async function call<O extends Operation>(
  operation: O,
  context: OperatorContext,
  input: unknown,
): Promise<z.output<O['output']>> {
  return jsonOf(operation, await executeOperation(operation, context, input));
}

/** Checks the scope of the caller, parses the input and executes an operation. Throws RequestError. */
export async function executeOperation(
  operation: Operation,
  context: OperatorContext,
  input: unknown,
): Promise<OperationResult<unknown>> {
  assertScope(context, operation.scope);
  const parsed = operation.upload === undefined ? parse(operation, input) : parseUpload(operation, input);
  if (operation.needs === 'redis') assertRedis(context);
  return operation.run(context, parsed);
}

function parseUpload(operation: Operation, input: unknown): Record<string, unknown> {
  const { file, ...fields } = { ...(input as { readonly file?: unknown } | undefined) };
  const parsed = parse(operation, fields);
  if (file !== undefined) return { ...parsed, file };
  if (operation.upload === 'optional') return parsed;
  throw new RequestError('FILE_MISSING', 'The request contains no file.');
}

/** Returns the body of a result, parsed by its schema, as JSON. */
export const jsonOf = (operation: Operation, { body, status }: OperationResult<unknown>) =>
  // Parsed by the schema of the output; JSON leaves such values as they are.
  JSON.parse(JSON.stringify(outputOf(operation, status).parse(body)));

type Holder = Pick<Context, 'scopes' | 'tenant'>;

/** Throws RequestError, `SCOPE_MISSING`, for a caller whose scopes do not suffice. */
export function assertScope(caller: Holder, required: RequiredScope): void {
  if (hasScope(caller, required)) return;
  throw new RequestError('SCOPE_MISSING', required === 'operator' ? notOperator : needs(caller, required));
}

/** Returns whether the scopes of a caller suffice. */
export function hasScope({ scopes, tenant }: Holder, required: RequiredScope): boolean {
  if (required === 'operator') return scopes.includes('admin') && tenant.tenant === defaultTenant;
  return scopes.some((scope) => scope === 'admin' || [required].flat().includes(scope));
}

/** Returns whether a caller may see what nodes have said and people have sent. */
export const canRead = (caller: Holder): boolean => hasScope(caller, 'read');

const notOperator = `This concerns the whole installation, so it needs a key of the tenant "${defaultTenant}" with the scope "admin".`;

function needs({ scopes }: Holder, required: Scope | readonly Scope[]): string {
  const wanted = [required].flat().map((scope) => `"${scope}"`);
  return `This needs a key with the scope ${wanted.join(' or ')}; yours has ${scopes.join(', ')}.`;
}

/** The parts in the order in which HTTP validates them: the first malformed part is reported. */
const partsOf = (operation: Operation): readonly [RequestPart, z.ZodType | undefined][] => [
  ['params', operation.params],
  ['body', operation.body],
  ['querystring', operation.query],
  ['headers', operation.headers],
];

function parse(operation: Operation, input: unknown): Record<string, unknown> {
  const fields = new Map(Object.entries(input ?? {}));
  const values: [RequestPart, z.ZodType, unknown][] = [];
  for (const [part, schema] of partsOf(operation)) {
    if (schema === undefined || part === 'body') continue;
    values.push([part, schema, take(fields, fieldNamesOf(schema))]);
  }
  // Fields of no other part belong to the body, whose schema refuses unknown ones.
  if (operation.body !== undefined) {
    const missing = fields.size === 0 && operation.body.safeParse(undefined).success;
    values.splice(1, 0, ['body', operation.body, missing ? undefined : Object.fromEntries(fields)]);
  } else if (fields.size > 0) {
    throw malformed('body', [{ pointer: `/${[...fields.keys()][0]}`, detail: 'is unknown' }]);
  }
  return Object.assign({}, ...values.map(([part, schema, value]) => checked(part, schema, value)));
}

function take(fields: Map<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const taken: Record<string, unknown> = {};
  for (const name of names) {
    if (fields.has(name)) taken[name] = fields.get(name);
    fields.delete(name);
  }
  return taken;
}

function checked(part: RequestPart, schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data ?? {};
  throw malformed(part, problemDetailsOf(error.issues, schema));
}

/** Returns the schema of a response by its status. */
export function outputOf(operation: Operation, status: number = operation.status ?? 200): z.ZodType {
  return operation.responses?.[status] ?? operation.output;
}
