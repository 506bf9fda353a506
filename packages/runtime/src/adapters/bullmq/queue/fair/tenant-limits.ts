import type { TenantId } from '@millrace/core';

/** Tenants that must request admission before a wake enters its queue, as far as this process knows. */
export class TenantLimits {
  readonly #crowded = new Set<TenantId>();
  /** Undefined until the limits are known. */
  #limited: ReadonlySet<TenantId> | undefined;

  /** Records that a tenant was within its share, or beyond it. */
  learn(tenant: TenantId, share: { readonly within: boolean }): void {
    if (share.within) this.#crowded.delete(tenant);
    else this.#crowded.add(tenant);
  }

  /** Records the tenants that have limits. */
  learnLimited(tenants: readonly TenantId[]): void {
    this.#limited = new Set(tenants);
  }

  mustAsk(tenant: TenantId): boolean {
    return this.#limited?.has(tenant) !== false || this.#crowded.has(tenant);
  }
}
