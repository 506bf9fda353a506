import type { Key, MadeKey, NewKeyInput } from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** API keys of one's own tenant; they need the scope `admin`. */
export interface KeysResource {
  /** The key itself is shown this once. */
  create(wanted: NewKeyInput): Promise<MadeKey>;
  list(): Pages<Key>;
  revoke(id: string): Promise<Key>;
}

/** The keys of a tenant. */
export const createKeysResource = (http: Http): KeysResource => ({
  create: (wanted) => http.json('v1/keys', { method: 'POST', json: wanted, send: 'once' }),
  list: () => pagesOf((cursor) => http.json<Page<Key>>('v1/keys', { query: { cursor } })),
  revoke: (id) => http.json(`v1/keys/${encodeURIComponent(id)}`, { method: 'DELETE' }),
});
