import type { ApiKey, ApiKeys } from '@millrace/runtime';
import type { Cli } from './cli.ts';
import { withSession } from './session.ts';

/** Lends the API keys of the installation, and the time by its clock in milliseconds since 1970. */
export async function withApiKeys(cli: Cli, use: (keys: ApiKeys, now: number) => Promise<void>): Promise<void> {
  const { createApiKeys } = await import('@millrace/runtime');
  await withSession(cli, {}, ({ runtime: { store } }) => use(createApiKeys(store), store.now()));
}

const pageSize = 200;

/** All keys of a tenant, or of all tenants. */
export async function allKeys(keys: ApiKeys, tenant: string | undefined): Promise<readonly ApiKey[]> {
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
    found.push(...read);
    const last = read.at(-1);
    if (last === undefined || read.length < pageSize) return found;
    after = idOf(last);
  }
}
