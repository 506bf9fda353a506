import { RequestError } from '@millrace/core';
import type { ProblemDetail } from './contracts/problem.ts';

/** What is refused at the border of the API, with everything that is wrong. */
export class Refused extends RequestError {
  readonly errors: readonly ProblemDetail[];
  constructor(code: string, message: string, errors: readonly ProblemDetail[]) {
    super(code, message);
    this.errors = errors;
  }
}

/** A part of a request, by the name that the server has for it, is not as its schema says. */
export function malformed(part: string, errors: readonly ProblemDetail[]): Refused {
  const list = errors.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ');
  return new Refused('REQUEST_INVALID', `${subjects[part] ?? subjects['body']}: ${list}.`, errors);
}

const subjects: Readonly<Record<string, string>> = {
  body: 'The body is not as it must be',
  params: 'The address is not as it must be',
  querystring: 'The query is not as it must be',
  headers: 'The headers are not as they must be',
};

/** There is no such run. */
export const unknownRun = (run: string): RequestError => new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
