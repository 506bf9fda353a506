import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope, TenantId } from '@millrace/core';
import { assertTenant, RequestError } from '@millrace/core';
import { LruMap } from '../blobs/read-through-cache.ts';
import type { Store } from '../ports/store/port.ts';

/** Description of an API key; never the key itself. Times are milliseconds since 1970. */
export interface ApiKey {
  readonly id: string;
  readonly tenant: TenantId;
  readonly scopes: readonly Scope[];
  readonly name?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Time of its last use, to the minute; only in lists, and absent if it was not used for a year. */
  readonly usedAt?: number;
}

/** Properties of a new key. */
export type NewApiKey = Pick<ApiKey, 'tenant' | 'scopes' | 'name' | 'expiresAt'>;

/** The keys of an installation. */
export interface ApiKeys {
  /** Creates a key, which is returned only here: its hash is stored. */
  create(wanted: NewApiKey): Promise<{ readonly key: ApiKey; readonly secret: string }>;
  /** Keys of a tenant in the order of their ids, behind `after`. */
  list(tenant: TenantId, after: string, limit: number): Promise<readonly ApiKey[]>;
  /** Revokes a key; every process knows it within a second. Throws RequestError when the tenant has no such key. */
  revoke(tenant: TenantId, id: string): Promise<ApiKey>;
  /** Returns the permissions of a key; undefined when it is unknown, or no longer valid. */
  identify(secret: string): Promise<ApiKey | undefined>;
  /** Returns a key by its id; undefined when it is unknown, or no longer valid. */
  find(tenant: TenantId, id: string): Promise<ApiKey | undefined>;
  /** Tenants that ever had a key, behind `after`. */
  tenants(after: string, limit: number): Promise<readonly TenantId[]>;
}

/** Time for which a process caches a key. */
const knownForMs = 500;
const useNotedEveryMs = 60_000;
const useKeptMs = 366 * 24 * 60 * 60 * 1000;
const form = /^mk_([a-z0-9-]{1,32})_([a-z0-9]{12})_[0-9a-f]{64}$/;
const tenants = 'tenants';

interface StoredApiKey extends ApiKey {
  /** Returns the SHA-256 of the key: it is random, so nothing slower is needed. */
  readonly digest: string;
}

/** API keys, kept in the registry of a store. */
export function createApiKeys({ registry, now }: Pick<Store, 'registry' | 'now'>): ApiKeys {
  const known = new LruMap<StoredApiKey | undefined>({ forMs: knownForMs, limit: 10_000 });
  const read = async (tenant: TenantId, id: string): Promise<StoredApiKey | undefined> => {
    const json = await registry.read(registerOf(tenant), id);
    return json === undefined ? undefined : (JSON.parse(json) as StoredApiKey); // written below
  };
  const readRecent = (tenant: TenantId, id: string) => known.of(`${tenant}/${id}`, () => read(tenant, id));
  const valid = (key: StoredApiKey): ApiKey | undefined =>
    key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt > now()) ? shown(key) : undefined;
  const noted = new LruMap<void>({ forMs: useNotedEveryMs, limit: 10_000 });
  /** Records the use of a key. Nothing waits for it, and a use that is not recorded does no harm. */
  const used = (key: ApiKey | undefined): ApiKey | undefined => {
    if (key !== undefined) {
      const name = useOf(key.tenant, key.id);
      void noted.of(name, () => registry.replace(name, String(now()), useKeptMs)).catch(() => undefined);
    }
    return key;
  };
  return {
    async create({ tenant, ...wanted }) {
      assertTenant(tenant);
      const id = randomBytes(6).toString('hex');
      const secret = `mk_${tenant}_${id}_${randomBytes(32).toString('hex')}`;
      const key: ApiKey = { id, tenant, ...wanted, createdAt: now() };
      // First: an API that has required no keys so far requires them before the first key exists.
      await registry.write(tenants, tenant, '{}');
      await registry.write(registerOf(tenant), id, JSON.stringify({ ...key, digest: digestOf(secret) }));
      return { key, secret };
    },
    async list(tenant, after, limit) {
      const entries = await registry.page(registerOf(tenant), after, limit);
      const uses = await registry.held(entries.map(({ id }) => useOf(tenant, id)));
      return entries.map(({ json }, at) => ({
        ...shown(JSON.parse(json) as StoredApiKey), // written above
        ...(uses[at] === undefined ? {} : { usedAt: Number(uses[at]) }),
      }));
    },
    async revoke(tenant, id) {
      const key = await read(tenant, id);
      if (key === undefined) throw new RequestError('KEY_UNKNOWN', `The tenant ${tenant} has no key ${id}.`);
      const revoked: StoredApiKey = { ...key, revokedAt: key.revokedAt ?? now() };
      await registry.write(registerOf(tenant), id, JSON.stringify(revoked));
      return shown(revoked);
    },
    async identify(secret) {
      const [, tenant, id] = form.exec(secret) ?? [];
      if (tenant === undefined || id === undefined) return undefined;
      const key = await readRecent(tenant, id);
      return key === undefined || !isSame(key.digest, digestOf(secret)) ? undefined : used(valid(key));
    },
    async find(tenant, id) {
      const key = await readRecent(tenant, id);
      return key === undefined ? undefined : used(valid(key));
    },
    async tenants(after, limit) {
      return (await registry.page(tenants, after, limit)).map(({ id }) => id);
    },
  };
}

const useOf = (tenant: TenantId, id: string): string => `key-use/${tenant}/${id}`;

const registerOf = (tenant: TenantId): string => `keys/${tenant}`;

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other));

const shown = ({ digest: _kept, ...key }: StoredApiKey): ApiKey => key;
