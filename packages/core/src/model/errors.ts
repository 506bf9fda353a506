/** A position in a source file; lines and columns start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem of a workflow definition. */
export interface Issue extends Position {
  /** `E_…` for errors, `W_…` for warnings; each has a page in docs/errors. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** Path in the document, e.g. `graph.nodes[2].config.provider`. */
  readonly path: string;
  readonly message: string;
  /** Suggested correction. */
  readonly hint?: string;
  readonly file: string;
}

const nodeError = Symbol.for('millrace.NodeError');

/** Error of a node: the activation fails with this code and message. */
export class NodeError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly [nodeError] = true;
  constructor(code: string, message: string, options: { transient?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'NodeError';
    this.code = code;
    this.transient = options.transient === true;
  }
}

/** An error of an extension is one, too, although the extension may load another copy of this class than the command. */
Object.defineProperty(NodeError, Symbol.hasInstance, {
  value(this: unknown, error: unknown): boolean {
    if (this !== NodeError) return Function.prototype[Symbol.hasInstance].call(this, error);
    return error instanceof Error && nodeError in error;
  },
});

/** Error of a call to which no answer came, although it may have taken effect. */
export class CallLost extends Error {}

/** Error of a request that cannot be carried out, such as answering a task twice. */
export class RequestError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
  }
}
