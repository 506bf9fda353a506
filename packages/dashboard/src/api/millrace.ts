import { Millrace } from '@millrace/client';
import { fetchNoted } from './transport.ts';

/** The installation that serves this page. Two retries: people see that the server is away rather than wait for it. */
export const millrace = new Millrace({ url: location.origin, retries: 2, timeoutMs: 15_000, fetch: fetchNoted });
