import type { TenantId } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import type { Reach } from '@millrace/runtime';
import { createReach } from '@millrace/runtime';

/** Where the webhooks of a tenant may be. */
export type ReachOf = (tenant: TenantId) => Reach;

/** What is allowed, for all tenants; where nothing is said, the default tenant may reach this machine. */
export function reachByTenant(allow: readonly string[] | undefined): ReachOf {
  const own = createReach(allow ?? ['loopback']);
  const others = createReach(allow ?? []);
  return (tenant) => (tenant === defaultTenant ? own : others);
}
