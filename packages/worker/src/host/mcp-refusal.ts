import { isFinalStatus } from '@millrace/catalog';

/** Requests to a server, and the status of the last answer. */
export interface RefusalDetector {
  readonly fetch: typeof fetch;
  /** Returns whether a server that failed with this error will fail again: it refused the request, or its command cannot be started. */
  isFinal(error: unknown): boolean;
}

/** Listens to how a server answers. The SDK's errors do not tell the status of every answer. */
export function detectRefusal(fetch: typeof globalThis.fetch): RefusalDetector {
  let status: number | undefined;
  return {
    async fetch(input, init) {
      // Clients listen by a GET, which many servers refuse.
      const isRequest = init?.method === 'POST';
      if (isRequest) status = undefined;
      const response = await fetch(input, init);
      if (isRequest) ({ status } = response);
      return response;
    },
    isFinal: (error) => isUnstartable(error) || (status !== undefined && isFinalStatus(status)),
  };
}

const isUnstartable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'EACCES', 'ENOTDIR'].includes(String(error.code));
