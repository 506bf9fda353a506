import type { Context } from '@millrace/api';
import type { TenantId } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import type { OutboundPolicy } from '@millrace/runtime';
import { assertReachable, createOutboundPolicy } from '@millrace/runtime';

/** Where the webhooks of a tenant may be. */
export type ReachOf = (tenant: TenantId) => OutboundPolicy;

/** What is allowed, for all tenants; where nothing is said, the default tenant may reach this machine. */
export function reachByTenant(allow: readonly string[] | undefined): ReachOf {
  const own = createOutboundPolicy(allow ?? ['loopback']);
  const others = createOutboundPolicy(allow ?? []);
  return (tenant) => (tenant === defaultTenant ? own : others);
}

/** Returns the check of addresses that webhooks are given. */
export const reachableBy =
  (reach: ReachOf): Context['assertReachable'] =>
  (tenant, url) =>
    assertReachable(reach(tenant), url);
