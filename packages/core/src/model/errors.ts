import type { Failure } from './outcome.ts';

/** A place in a source file; lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One problem of a workflow definition, found by parse, check or compile. */
export interface Issue extends Position {
  /** `E_…` for errors, `W_…` for warnings; each has a page in docs/errors. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** Where in the document, e.g. `graph.nodes[2].config.provider`. */
  readonly path: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  readonly file: string;
}

/** Thrown at the edge of a node: the activation failed, and why. */
export class NodeError extends Error {
  readonly code: string;
  readonly transient: boolean;
  constructor(code: string, message: string, options: { transient?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'NodeError';
    this.code = code;
    this.transient = options.transient === true;
  }
}

/** Thrown to a caller who asked for something that cannot be done, such as answering a task twice. */
export class RequestError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
  }
}

/** The failure that an exception at the edge of a node stands for. */
export function failureOf(error: unknown): Failure {
  if (error instanceof NodeError) {
    const failure: Failure = { code: error.code, message: error.message };
    return error.transient ? { ...failure, transient: true } : failure;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INTERNAL', message };
}
