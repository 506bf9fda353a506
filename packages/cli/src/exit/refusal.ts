import type { ApiProblem } from '@millrace/client';
import type { RequestError } from '@millrace/core';

/** Refusal of an operation, or of a step on the way to one. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** Status as HTTP has it; absent for a refusal of this process. */
  readonly status?: number;
  /** Fields of the input that are malformed. */
  readonly pointers: readonly string[];
}

type Stated = (ApiProblem | RequestError) & Partial<Pick<ApiProblem, 'errors' | 'status'>>;

/** Returns the refusal of an error. Errors are recognised by their names, because neither `core` nor the client may be loaded. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (!isStated(error)) return undefined;
  const { code, status, errors = [] } = error;
  const refusal = { code, message: withPlaces(error), pointers: errors.map(({ pointer }) => pointer) };
  return status === undefined ? refusal : { ...refusal, status };
}

const isStated = (error: unknown): error is Stated =>
  error instanceof Error && (error.name === 'RequestError' || error.name === 'ApiProblem');

/** Returns the message of an error, with each issue of a workflow. */
function withPlaces({ message, errors = [] }: Stated): string {
  // The message of a malformed request contains them already.
  const unsaid = errors.filter(({ detail }) => !message.includes(detail));
  const places = unsaid.map(({ line, column, pointer, detail, code }) => {
    const place = line === undefined ? pointer : `${line}:${column}`;
    return `  ${place} ${detail}${code === undefined ? '' : ` [${code}]`}`;
  });
  return [message, ...places].join('\n');
}
