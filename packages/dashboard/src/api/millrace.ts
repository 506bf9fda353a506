import type { HttpOptions } from '@millrace/client';
import { Millrace } from '@millrace/client';
import { queryClient } from './query-client.ts';
import { fetchNoted } from './transport.ts';

/** Options of requests to the server of this page. Only two retries: an outage should be visible soon. */
export const connectionOptions = {
  url: location.origin,
  retries: 2,
  timeoutMs: 15_000,
  fetch: fetchNoted,
  csrf: () => queryClient.getQueryData<{ readonly csrf?: string }>(['me'])?.csrf,
} satisfies HttpOptions;

/** The installation that serves this page. */
export const millrace = new Millrace(connectionOptions);
