import type { Problem, RunResult } from '../generated/schemas.ts';
import type { HttpResponse } from './fetch.ts';

/** The API has refused a request. `code` has a page in the documentation. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** Problems of the request, part by part. */
  readonly errors: NonNullable<Problem['errors']>;
  /** To find the request by in the log of the server. */
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

/** The API did not answer, for all that it was asked again. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause);
    super(`${url} does not answer: ${reason}`, { cause });
    this.name = 'ConnectionError';
  }
}

/** Another service answers than a Millrace API, or a proxy in front of one. */
export class ForeignAnswerError extends Error {
  constructor(response: HttpResponse, options?: ErrorOptions) {
    const type = response.headers.get('content-type') ?? 'something without a type';
    super(`${placeOf(response)} is no Millrace API: it answers with ${type}.`, options);
    this.name = 'ForeignAnswerError';
  }
}

/** A run has ended without what it was for; `result` says how far it has come. */
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

/** Somebody has cancelled a run. */
export class RunCancelledError extends RunEndedError {
  override readonly name = 'RunCancelledError';
}

/** A run has not ended in the time that one was willing to wait; it goes on. */
export class WaitTimeoutError extends Error {
  readonly runId: string;

  constructor(runId: string) {
    super(`Run ${runId} has not ended yet; it goes on.`);
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
  const detail = `${placeOf(response)} answered with the status ${status}, and not as a Millrace API does.`;
  return new ApiProblem({ status, detail });
}

function parsed(text: string): Partial<Problem> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // What is cut off or no JSON says nothing.
    return undefined;
  }
}

/** Returns the origin of a response; a response that was made here has no address. */
const placeOf = ({ url }: Pick<HttpResponse, 'url'>): string => (url === '' ? 'The server' : new URL(url).origin);
