import type { Scope } from '@millrace/core';
import type { z } from 'zod';
import type { Background } from './background.ts';
import type { CliLine } from './cli-line.ts';
import type { Context, OperatorContext, UploadedContent } from './context.ts';
import type { Tool } from './tool.ts';

/*
 * One operation, defined once: HTTP routes, the OpenAPI document, the types of the client and the tools of the Model Context
 * Protocol derive from it. Its parts are separate schemas, so that the document contains them and an error names its part;
 * callers and `run` use one flat object.
 */

/** The scope that a caller needs: one, any one of several, or `operator` for the whole installation. */
export type RequiredScope = Scope | readonly Scope[] | 'operator';

/** A part of a request for which an operation has no schema. */
type NoPart = z.ZodObject<Record<never, never>>;

/** The value of a part; parts without fields are left out. */
type Fields<T> = [T] extends [Record<string, never>] ? unknown : T;

/** The value of a body; all fields of an optional body are optional. */
type BodyFields<T> = undefined extends T ? Partial<NonNullable<T>> : Fields<T>;

/** Parsed fields of all parts, the input of `run`. */
export type InputOf<P extends z.ZodType, Q extends z.ZodType, H extends z.ZodType, B extends z.ZodType> = Fields<
  z.output<P>
> &
  Fields<z.output<Q>> &
  Fields<z.output<H>> &
  BodyFields<z.output<B>>;

/** The field `file` of the input of an operation with an upload. */
type Upload = 'required' | 'optional' | 'none';

type FileField<U extends Upload> = U extends 'none'
  ? unknown
  : U extends 'required'
    ? { readonly file: UploadedContent }
    : { readonly file?: UploadedContent };

/** Context of an operation by its scope and its requirements. */
type ContextFor<S extends RequiredScope, D extends 'redis' | 'nothing'> = (S extends 'operator'
  ? OperatorContext
  : Context) &
  (D extends 'redis' ? { readonly background: Background } : unknown);

/** Result of `run`: the body for its schema, and the status and headers of the response. */
export interface OperationResult<Body> {
  readonly body: Body;
  /** Status of the response; absent: the first one of the operation. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Definition of an operation. */
export interface Definition<
  N extends string,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
  O extends z.ZodType,
  S extends RequiredScope,
  D extends 'redis' | 'nothing',
  U extends Upload,
> {
  /** Resource and verb, as in `runs.cancel`; unique among all operations. */
  readonly name: N;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with parameters, as in `/v1/runs/:id/cancel`. */
  readonly path: string;
  /** The command of the command line that does the same; absent: there is none, or nobody copies it. */
  readonly cli?: CliLine;
  /** The path also has another representation, such as a stream: its route is written by hand and calls the operation. */
  readonly sharesPath?: true;
  readonly scope: S;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  /** Example of a body for the reference. */
  readonly example?: z.input<NoInfer<B>>;
  readonly output: O;
  /** Status of the response that `output` describes; default: 200. */
  readonly status?: number;
  /**
   * Schemas of other successful responses, by status. With a 304 of an operation whose responses have an `etag`, HTTP
   * answers conditional requests.
   */
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  /**
   * Reason for having no idempotency keys. `never`: the response must not be stored; `needless`: repeating the request changes
   * nothing.
   */
  readonly idempotency?: 'never' | 'needless';
  /** Absent: JSON. `content`: contents that can be read in parts; `events`: a source of events, or nothing if no event follows; `live`: an endless
   * source of events that are stored nowhere. */
  readonly kind?: ResponseKind;
  /** The request contains a file. */
  readonly upload?: U;
  /** The operation needs Redis: it is refused with `REDIS_MISSING` if runs are in memory. */
  readonly needs?: D;
  /** Offers the operation over the Model Context Protocol. */
  readonly tool?: Tool<z.output<O>>;
  run(context: ContextFor<S, D>, input: InputOf<P, Q, H, B> & FileField<U>): Promise<OperationResult<z.input<O>>>;
}

/** Kinds of responses other than JSON. */
type ResponseKind = 'content' | 'events' | 'live';

/** Operation of any types, for code that handles all operations. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly cli?: CliLine;
  readonly sharesPath?: true;
  readonly scope: RequiredScope;
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly example?: unknown;
  readonly output: z.ZodType;
  readonly status?: number;
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  readonly idempotency?: 'never' | 'needless';
  readonly kind?: ResponseKind;
  readonly upload?: Upload;
  readonly needs?: 'redis' | 'nothing';
  readonly tool?: Tool;
  run(context: OperatorContext, input: unknown): Promise<OperationResult<unknown>>;
}

/** Defines an operation. Throws TypeError if two parts of its request have a field of the same name. */
export function operation<
  const N extends string,
  O extends z.ZodType,
  S extends RequiredScope,
  P extends z.ZodObject = NoPart,
  Q extends z.ZodObject = NoPart,
  H extends z.ZodObject = NoPart,
  B extends z.ZodType = NoPart,
  D extends 'redis' | 'nothing' = 'nothing',
  U extends Upload = 'none',
>(definition: Definition<N, P, Q, H, B, O, S, D, U>): Definition<N, P, Q, H, B, O, S, D, U> & Operation {
  const names = [definition.params, definition.query, definition.headers, definition.body].flatMap(fieldNamesOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`Operation ${definition.name} has two inputs named "${twice}".`);
  // `run` receives only values that the schemas of the same definition have parsed.
  return definition as Definition<N, P, Q, H, B, O, S, D, U> & Operation;
}

/** Returns the names of the fields of a part, also of an optional body. */
export function fieldNamesOf(schema: z.ZodType | undefined): readonly string[] {
  if (schema === undefined) return [];
  if ('shape' in schema) return Object.keys(schema.shape as object);
  return 'unwrap' in schema && typeof schema.unwrap === 'function' ? fieldNamesOf(schema.unwrap() as z.ZodType) : [];
}
