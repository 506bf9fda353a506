import type { RefusedIntakeJob as RefusedJob } from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** Jobs that others have put on the intake queue and that could not be taken. They need the scope `admin`. */
export interface IntakeResource {
  /** Newest first. */
  refused(): Pages<RefusedJob>;
  /** Takes one again. */
  retry(id: string): Promise<RefusedJob>;
  /** Forgets one, which makes room for another of its id. */
  drop(id: string): Promise<RefusedJob>;
}

/** The refused jobs of a tenant. */
export function createIntakeResource(http: Http): IntakeResource {
  const at = (id: string): string => `v1/intake/quarantine/${encodeURIComponent(id)}`;
  return {
    refused: () =>
      pagesOf((cursor) => http.json<Page<RefusedJob>>('v1/intake/quarantine', { query: { limit: 200, cursor } })),
    retry: (id) => http.json(`${at(id)}/retry`, { method: 'POST' }),
    drop: (id) => http.json(at(id), { method: 'DELETE' }),
  };
}
