import type { Key, KeysResource } from '@millrace/client';
import type { ApiKey, ApiKeys } from '@millrace/runtime';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { localOrRemote } from './local-or-remote.ts';

/** The keys that a command can reach. */
export interface KeyRegistry extends Pick<ApiKeys, 'create' | 'list' | 'revoke' | 'tenants'> {
  /** Whose keys they are when nobody says. */
  readonly tenant: string;
  /** Milliseconds since 1970 by the clock of the installation. */
  readonly now: number;
}

/** Lends the API keys of the installation; behind an HTTP API, those of the tenant that its key belongs to. */
export async function withApiKeys(cli: Cli, use: (keys: KeyRegistry) => Promise<void>): Promise<void> {
  const { api } = await cli.config();
  await localOrRemote(cli, {
    remote: ({ keys }) => use(farKeys(keys, api?.apiKey)),
    async local({ machine: { runtime } }) {
      const { createApiKeys } = await import('@millrace/runtime');
      const { store } = runtime;
      await use({ ...createApiKeys(store), tenant: 'default', now: store.now() });
    },
  });
}

function farKeys(keys: KeysResource, apiKey = ''): KeyRegistry {
  const tenant = /^mk_([a-z0-9-]+)_/.exec(apiKey)?.[1] ?? 'default';
  const assertOwn = (wanted: string): void => {
    if (wanted === tenant) return;
    throw new CommandError(exitCodes.notAllowed, `Over MILLRACE_URL there are the keys of ${tenant} only.`);
  };
  // Optional fields are left out, not undefined.
  const owned = ({ id, ...key }: Key): ApiKey => ({ id, tenant, ...key }) as ApiKey;
  return {
    tenant,
    now: Date.now(),
    async create({ tenant: whose, ...wanted }) {
      assertOwn(whose);
      const { key: secret, ...key } = await keys.create({ ...wanted, scopes: [...wanted.scopes] });
      return { key: owned(key), secret };
    },
    async list(whose, after) {
      assertOwn(whose);
      const found: ApiKey[] = [];
      for await (const key of keys.list()) if (key.id > after) found.push(owned(key));
      return found;
    },
    async revoke(whose, id) {
      assertOwn(whose);
      return owned(await keys.revoke(id));
    },
    tenants: async (after) => (tenant > after ? [tenant] : []),
  };
}

const pageSize = 200;

/** All keys of a tenant, or of all tenants. */
export async function allKeys(keys: KeyRegistry, tenant: string | undefined): Promise<readonly ApiKey[]> {
  const tenants = tenant === undefined ? await everything((after) => keys.tenants(after, pageSize), String) : [tenant];
  const lists = tenants.map((one) =>
    everything(
      (after) => keys.list(one, after, pageSize),
      ({ id }) => id,
    ),
  );
  return (await Promise.all(lists)).flat();
}

/** All pages of a list, each of which goes on behind the id of the last entry before. */
async function everything<T>(page: (after: string) => Promise<readonly T[]>, idOf: (entry: T) => string): Promise<T[]> {
  const found: T[] = [];
  for (let after = ''; ; ) {
    const read = await page(after);
    for (const entry of read) found.push(entry);
    const last = read.at(-1);
    if (last === undefined || read.length < pageSize) return found;
    after = idOf(last);
  }
}
