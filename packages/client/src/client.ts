import type {
  ContentOperations,
  EventOperations,
  LiveOperations,
  Operations,
  RunEvent,
  TenantEvent,
} from './generated/schemas.ts';

/** Piece of what a step says while it is at work. */
export interface RunUtterance {
  readonly activation: `a${number}`;
  /** Id of the node at work. */
  readonly node: string;
  /** Name of the step, such as `chat gpt-4o` or `tool search`. */
  readonly step: string;
  /** Id of this attempt at the step: a later one says everything anew. */
  readonly attempt: string;
  /** Place of the piece in all that the attempt says, in characters. */
  readonly from: number;
  /** Empty where a step begins, and often where it ends. */
  readonly text: string;
  /** The step is over; its result is in the journal. */
  readonly ended?: true;
}

/** Item of a stream: an event of the journal, or what a step says while it is at work. */
export type StreamEvent =
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'live'; readonly said: RunUtterance };

/** Name of an operation with a JSON response, such as `runs.pause`. */
export type OperationName = keyof Operations;
/** Input of an operation: the fields of its path, query, headers and body in one object. */
export type OperationInput<N extends OperationName> = Operations[N]['input'];
/** Response of an operation. */
export type OperationOutput<N extends OperationName> = Operations[N]['output'];

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request and its retries when it is aborted; the reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a list. */
export interface PageOptions extends RequestOptions {
  /** Entries of a page; each list has a default and a maximum. */
  readonly limit?: number | undefined;
}

/** Options of a call. */
export interface CallOptions extends RequestOptions {
  /** Key under which the operation is carried out once, whoever calls it, for a day; absent: a random one. */
  readonly idempotencyKey?: string | undefined;
  /** Bytes of contents: from the first, and up to the last, which is included. Contents may be shorter. */
  readonly range?: { readonly from: number; readonly to: number } | undefined;
  /** Time that the response may take beyond the usual, in milliseconds. */
  readonly extraTimeoutMs?: number | undefined;
  /** Calls the operation without an idempotency key, as repeating it comes to the same. */
  readonly repeatable?: true | undefined;
}

/** State of an installation that is ready. */
export interface Readiness {
  readonly status: 'ready';
  readonly workers: number;
}

/**
 * One tenant's way to all operations: over HTTP, or within the process of the installation. Every method throws ApiProblem
 * when the operation is refused.
 */
export interface Client {
  call<N extends OperationName>(name: N, input: OperationInput<N>, options?: CallOptions): Promise<OperationOutput<N>>;
  /** Returns contents. */
  content<N extends keyof ContentOperations>(
    name: N,
    input: ContentOperations[N]['input'],
    options?: CallOptions,
  ): Promise<Blob>;
  /** Returns one stream of events; undefined when nothing follows. It may break off at any time. */
  events<N extends keyof EventOperations>(
    name: N,
    input: EventOperations[N]['input'],
    options?: CallOptions,
  ): Promise<AsyncIterable<StreamEvent> | undefined>;
  /** Returns one stream of live events. It may break off at any time. */
  live<N extends keyof LiveOperations>(
    name: N,
    input: LiveOperations[N]['input'],
    options?: CallOptions,
  ): Promise<AsyncIterable<TenantEvent>>;
  /** Throws ApiProblem, `NOT_READY`, where no work can be done. */
  readiness(options?: RequestOptions): Promise<Readiness>;
}
