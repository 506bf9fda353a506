import type { Client } from '../client.ts';
import type { Key, MadeKey, NewKey } from '../generated/types.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';

/** API keys of one's own tenant; they need the scope `admin`. */
export interface KeysResource {
  /** The key itself is shown this once. */
  create(wanted: NewKey): Promise<MadeKey>;
  list(): Pages<Key>;
  revoke(id: string): Promise<Key>;
}

/** Makes the methods of keys. */
export const createKeysResource = (client: Client): KeysResource => ({
  create: (wanted) => client.call('keys.create', wanted),
  list: () => pagesOf((cursor) => client.call('keys.list', { cursor })),
  revoke: (id) => client.call('keys.revoke', { id }),
});
