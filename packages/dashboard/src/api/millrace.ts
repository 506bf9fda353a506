import { Millrace } from '@millrace/client';

/** The installation that serves this page. Two retries: people see that the server is away rather than wait for it. */
export const millrace = new Millrace({ url: location.origin, retries: 2, timeoutMs: 15_000 });
