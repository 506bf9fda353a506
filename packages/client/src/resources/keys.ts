import type { Client, PageOptions, RequestOptions } from '../client.ts';
import type { Key, MadeKey, NewKey } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** API keys of the caller's tenant. The methods need the scope `admin`. */
export interface KeysResource {
  /** Creates a key. Only this response contains the key itself. */
  create(wanted: NewKey, options?: RequestOptions): Promise<MadeKey>;
  list(options?: PageOptions): Pages<Key>;
  revoke(id: string, options?: RequestOptions): Promise<Key>;
}

/** Returns the methods of keys. */
export const createKeysResource = (client: Client): KeysResource => ({
  create: (wanted, options) => client.call('keys.create', wanted, options),
  list: ({ limit, ...options } = {}) => pagesOf((cursor) => client.call('keys.list', { cursor, limit }, options)),
  revoke: (id, options) => client.call('keys.revoke', { id }, options),
});
