import type { ApiProblem } from '@millrace/client';
import type { RequestError } from '@millrace/core';

/** What an installation has refused, near or far. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** As HTTP has it; absent when it was refused here. */
  readonly status?: number;
}

/** Returns the refusal that an error states. Errors are told by their names, as neither `core` nor the client may be loaded. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (isRequestError(error)) return { code: error.code, message: withPlaces(error) };
  return isProblem(error) ? { code: error.code, message: withPlaces(error), status: error.status } : undefined;
}

const isRequestError = (error: unknown): error is RequestError =>
  error instanceof Error && error.name === 'RequestError';

/** What is said of an error, and of each thing that is wrong with a workflow. */
function withPlaces(error: Error & Partial<Pick<ApiProblem, 'errors'>>): string {
  // The message of a request that is not as it must be has them already.
  const unsaid = (error.errors ?? []).filter(({ detail }) => !error.message.includes(detail));
  const places = unsaid.map(({ line, column, pointer, detail, code }) => {
    const place = line === undefined ? pointer : `${line}:${column}`;
    return `  ${place} ${detail}${code === undefined ? '' : ` [${code}]`}`;
  });
  return [error.message, ...places].join('\n');
}

const isProblem = (error: unknown): error is ApiProblem => error instanceof Error && error.name === 'ApiProblem';
