import type { ApiProblem } from '@millrace/client';

/** What an installation has refused, near or far. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** As HTTP has it; absent when it was refused here. */
  readonly status?: number;
}

/** What was refused, if that is what an error says. Errors of the client are told by their name: it may not be loaded. */
export async function refusalIn(error: unknown): Promise<Refusal | undefined> {
  const { RequestError } = await import('@millrace/core');
  if (error instanceof RequestError) return { code: error.code, message: withPlaces(error) };
  return isProblem(error) ? { code: error.code, message: withPlaces(error), status: error.status } : undefined;
}

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
