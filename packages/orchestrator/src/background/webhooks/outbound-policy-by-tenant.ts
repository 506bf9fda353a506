import type { Context } from '@millrace/api';
import type { TenantId } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import type { OutboundPolicy } from '@millrace/runtime';
import { assertReachable, createOutboundPolicy } from '@millrace/runtime';

/** Where the webhooks of a tenant may be. */
export type OutboundPolicyOf = (tenant: TenantId) => OutboundPolicy;

/** What is allowed, for all tenants; where nothing is said, the default tenant may reach this machine. */
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
