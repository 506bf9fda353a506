import type { Problem, RunResult } from '../generated/schemas.ts';
import type { HttpResponse } from './fetch.ts';

/** Refusal of a request by the API. `code` has a page in the documentation. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** Problems of the request, part by part. */
  readonly errors: NonNullable<Problem['errors']>;
  /** Id of the request in the log of the server. */
  readonly requestId: string | undefined;

  constructor({ status, code, detail, errors = [], requestId }: Partial<Problem> & Pick<Problem, 'status'>) {
    super(detail ?? `The server answered with the status ${status}.`);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code ?? 'UNKNOWN';
    this.errors = errors;
    this.requestId = requestId;
  }
}

/** The API did not respond to a request, nor to its retries. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause);
    super(`${url} does not answer: ${reason}`, { cause });
    this.name = 'ConnectionError';
  }
}

/** The response came from another service than a Millrace API, or from a proxy before it. */
export class UnexpectedResponseError extends Error {
  constructor(response: HttpResponse, options?: ErrorOptions) {
    const type = response.headers.get('content-type') ?? 'something without a type';
    super(`${serverOf(response)} is no Millrace API: it answers with ${type}.`, options);
    this.name = 'UnexpectedResponseError';
  }
}

/** A run has ended without completing; `result` contains its state. */
class RunEndedError extends Error {
  readonly runId: string;
  readonly result: RunResult;
  /** One of the error codes. */
  readonly code: string;

  constructor(result: RunResult, code: string, message: string) {
    super(message);
    this.runId = result.runId;
    this.result = result;
    this.code = code;
  }
}

/** A run has failed, or its budget has ended it. */
export class RunFailedError extends RunEndedError {
  override readonly name = 'RunFailedError';
}

/** A run was cancelled. */
export class RunCancelledError extends RunEndedError {
  override readonly name = 'RunCancelledError';
}

/** A run did not end within the time limit of the wait; the run continues. */
export class WaitTimeoutError extends Error {
  readonly runId: string;

  constructor(runId: string) {
    super(`Run ${runId} has not ended yet; it continues.`);
    this.name = 'WaitTimeoutError';
    this.runId = runId;
  }
}

/** Reads the problem of a response; a body of another kind, such as the page of a proxy, is reported as such. */
export async function readProblem(response: HttpResponse): Promise<ApiProblem> {
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text().catch(() => '');
  const problem = type.includes('json') ? parsed(text) : undefined;
  if (problem !== undefined) return new ApiProblem({ ...problem, status });
  const detail = `${serverOf(response)} answered with the status ${status}, and not as a Millrace API does.`;
  return new ApiProblem({ status, detail });
}

function parsed(text: string): Partial<Problem> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // An incomplete body, or one that is not JSON, contains no problem.
    return undefined;
  }
}

/** Returns the origin of a response; one that a given `fetch` has created may have no URL. */
const serverOf = ({ url }: Pick<HttpResponse, 'url'>): string => (url === '' ? 'The server' : new URL(url).origin);
