import { RequestError } from './errors.ts';
import type { RunId } from './ids.ts';

/**
 * Whose runs, tasks, workflows and memory something is; nobody sees what is another tenant's. A run's tenant is part
 * of its id, `<tenant>~<id>`, so everything that derives from the id belongs to the tenant, too. Runs of the default
 * tenant have plain ids.
 */
export type TenantId = string;

/** The tenant of runs that were started for nobody in particular. */
export const defaultTenant: TenantId = 'default';

/** What a tenant may be called. */
export const tenantPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

const separator = '~';

/** Whose run it is. */
export function tenantOf(run: RunId): TenantId {
  const at = run.indexOf(separator);
  return at < 0 ? defaultTenant : run.slice(0, at);
}

/** The name by which the tenant itself knows something of its own: the id without the tenant. */
export const withoutTenant = (id: string): string => id.slice(id.indexOf(separator) + 1);

/** A name of the tenant's as it is told apart from the same name of another tenant. */
export const withTenant = (tenant: TenantId, name: string): string =>
  tenant === defaultTenant ? name : `${tenant}${separator}${name}`;

/** Throws RequestError, `TENANT_INVALID`, for a name that no tenant can have. */
export function assertTenant(tenant: TenantId): void {
  if (tenantPattern.test(tenant)) return;
  throw new RequestError(
    'TENANT_INVALID',
    `A tenant is named by up to 32 small letters, digits and hyphens, with no hyphen first or last: not "${tenant}".`,
  );
}
