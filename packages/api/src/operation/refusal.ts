import { boundedIssues, didYouMean, RequestError } from '@millrace/core';
import type { z } from 'zod';
import type { ProblemDetail } from '../schemas/problem.ts';

/** Refusal of a request, with all of its problems. */
export class Refused extends RequestError {
  readonly errors: readonly ProblemDetail[];
  constructor(code: string, message: string, errors: readonly ProblemDetail[]) {
    super(code, message);
    this.errors = errors;
  }
}

/** The parts of a request, by the names that Fastify gives them. */
export type RequestPart = 'params' | 'body' | 'querystring' | 'headers';

/** Returns the refusal of a request whose part does not match its schema: `REQUEST_INVALID`. */
export function malformed(part: string, errors: readonly ProblemDetail[]): Refused {
  const list = errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ');
  const subject = Object.hasOwn(subjects, part) ? subjects[part as RequestPart] : subjects.body;
  return new Refused('REQUEST_INVALID', `${subject}: ${/[.?]$/.test(list) ? list : `${list}.`}`, errors);
}

const subjects = {
  body: 'The body is invalid',
  params: 'The path is invalid',
  querystring: 'The query is invalid',
  headers: 'The headers are invalid',
} satisfies Record<RequestPart, string>;

/**
 * Returns the problems that a schema found, in the wording of the API; their number and lengths are limited. With the schema, an
 * unknown field that resembles a known one has a suggestion.
 */
export const problemDetailsOf = (issues: Issues, schema?: z.ZodType): readonly ProblemDetail[] =>
  boundedIssues(issues).map(({ path, message }, at) => ({
    pointer: `/${path.join('/')}`,
    detail: message.endsWith('received undefined') ? 'is missing' : `${message}${suggestionFor(issues[at], schema)}`,
  }));

type Issues = Parameters<typeof boundedIssues>[0];

/** Unknown fields for which known ones are looked for. */
const suggestedKeys = 10;

function suggestionFor(issue: Issues[number] | undefined, schema: z.ZodType | undefined): string {
  const { keys = [], path = [] } = issue ?? {};
  if (schema === undefined || keys.length === 0) return '';
  const known = fieldsAt(schema, path.map(String));
  const [first] = keys.slice(0, suggestedKeys).flatMap((key) => didYouMean(key, known) ?? []);
  return first === undefined ? '' : `. ${first}`;
}

/** The parts of schemas that contain others. */
interface Parts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly in?: z.ZodType;
  unwrap?(): z.ZodType;
}

/** Returns the names of the fields that a value may have at a place in it, by its schema. */
function fieldsAt(schema: z.ZodType, path: readonly string[]): readonly string[] {
  const { shape, element, valueType, options, in: input, unwrap }: Parts = schema as Parts; // absent where a kind has none
  if (options !== undefined) return options.flatMap((one) => fieldsAt(one, path));
  const [key, ...rest] = path;
  if (shape !== undefined) {
    if (key === undefined) return Object.keys(shape);
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return field === undefined ? [] : fieldsAt(field, rest);
  }
  const inner = element ?? valueType;
  if (inner !== undefined) return key === undefined ? [] : fieldsAt(inner, rest);
  const wrapped = input ?? unwrap?.call(schema);
  return wrapped === undefined ? [] : fieldsAt(wrapped, path);
}

/** Returns the refusal of a request for a run that does not exist: `RUN_UNKNOWN`. */
export const unknownRun = (run: string): RequestError => new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
