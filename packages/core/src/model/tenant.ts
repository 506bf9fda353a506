import { RequestError } from './errors.ts';
import type { RunId } from './ids.ts';

/**
 * The tenant that a run, task, workflow or memory belongs to; other tenants cannot see it. A run's tenant is part of
 * its id, `<tenant>~<id>`, so everything that derives from the id belongs to the tenant, too. Runs of the default
 * tenant have plain ids.
 */
export type TenantId = string;

/** Tenant of runs that were started without one. */
export const defaultTenant: TenantId = 'default';

/** Pattern of tenant names. */
export const tenantPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

const separator = '~';

/** Returns the tenant of a run. */
export function tenantOf(run: RunId): TenantId {
  const at = run.indexOf(separator);
  return at < 0 ? defaultTenant : run.slice(0, at);
}

/** Returns an id without its tenant, as the tenant itself knows it. */
export const withoutTenant = (id: string): string => id.slice(id.indexOf(separator) + 1);

/** Returns a name of a tenant in the form that distinguishes it from the same name of another tenant. */
export const withTenant = (tenant: TenantId, name: string): string =>
  tenant === defaultTenant ? name : `${tenant}${separator}${name}`;

/** Throws RequestError, `TENANT_INVALID`, for an invalid name of a tenant. */
export function assertTenant(tenant: TenantId): void {
  if (tenantPattern.test(tenant)) return;
  throw new RequestError(
    'TENANT_INVALID',
    `The name of a tenant has up to 32 lower-case letters, digits and hyphens, with no hyphen first or last: not "${tenant}".`,
  );
}
