import type { Context } from '@millrace/api';
import type { TenantId } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import type { OutboundPolicy } from '@millrace/runtime';
import { assertReachable, createOutboundPolicy } from '@millrace/runtime';

/** Returns the outbound policy of a tenant's webhooks. */
export type OutboundPolicyOf = (tenant: TenantId) => OutboundPolicy;

/** Returns the policies of all tenants; without a setting, the default tenant may reach this machine. */
export function outboundPolicyByTenant(allow: readonly string[] | undefined): OutboundPolicyOf {
  const own = createOutboundPolicy(allow ?? ['loopback']);
  const others = createOutboundPolicy(allow ?? []);
  return (tenant) => (tenant === defaultTenant ? own : others);
}

/** Returns the check of addresses that webhooks are given. */
export const reachableBy =
  (reach: OutboundPolicyOf): Context['assertReachable'] =>
  (tenant, url) =>
    assertReachable(reach(tenant), url);
