import type {
  ContentOperations,
  EventOperations,
  LiveOperations,
  Operations,
  RunEvent,
  TenantEvent,
} from './generated/schemas.ts';

/** Piece of the live output of a step. */
export interface LiveEvent {
  readonly activation: `a${number}`;
  /** Id of the executing node. */
  readonly node: string;
  /** Name of the step, such as `chat gpt-6-sol` or `tool search`. */
  readonly step: string;
  /** Id of this attempt at the step; a later attempt begins its output again. */
  readonly attempt: string;
  /** Offset of the piece in the output of the attempt, in characters. */
  readonly from: number;
  /** Empty where a step begins, and often where it ends. */
  readonly text: string;
  /** The step has ended; its result is in the journal. */
  readonly ended?: true;
}

/** Item of a stream: an event of the journal, or live output of a step. */
export type StreamEvent =
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'live'; readonly event: LiveEvent };

/** Name of an operation with a JSON response, such as `runs.cancel`. */
export type OperationName = keyof Operations;
/** Input of an operation: the fields of its path, query, headers and body in one object. */
export type OperationInput<N extends OperationName> = Operations[N]['input'];
/** Response of an operation. */
export type OperationOutput<N extends OperationName> = Operations[N]['output'];

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request and its retries when aborted; the method throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a list. */
export interface PageOptions extends RequestOptions {
  /** Number of entries of a page; each list has a default and a maximum. */
  readonly limit?: number | undefined;
}

/** Options of a call. */
export interface CallOptions extends RequestOptions {
  /** Idempotency key: within a day, calls with the same key execute the operation once. Default: a random key. */
  readonly idempotencyKey?: string | undefined;
  /** Range of bytes of the contents; `to` is included. Contents may be shorter. */
  readonly range?: { readonly from: number; readonly to: number } | undefined;
  /** Additional time that the response may take, in milliseconds. */
  readonly extraTimeoutMs?: number | undefined;
  /** Calls the operation without an idempotency key, because repeating it changes nothing. */
  readonly repeatable?: true | undefined;
}

/** State of an installation that is ready. */
export interface Readiness {
  readonly status: 'ready';
  readonly workers: number;
}

/**
 * Transport for the operations of one tenant: HTTP, or the process of the installation. Every method throws ApiProblem
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
  /** Returns one stream of events; undefined if the run has ended and no event follows. The stream may break at any time. */
  events<N extends keyof EventOperations>(
    name: N,
    input: EventOperations[N]['input'],
    options?: CallOptions,
  ): Promise<AsyncIterable<StreamEvent> | undefined>;
  /** Returns one stream of live events. The stream may break at any time. */
  live<N extends keyof LiveOperations>(
    name: N,
    input: LiveOperations[N]['input'],
    options?: CallOptions,
  ): Promise<AsyncIterable<TenantEvent>>;
  /** Returns the readiness. Throws ApiProblem, `NOT_READY`, if the installation cannot execute runs. */
  readiness(options?: RequestOptions): Promise<Readiness>;
}
