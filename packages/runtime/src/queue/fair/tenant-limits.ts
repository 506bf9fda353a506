import type { TenantId } from '@millrace/core';

/** Tenants that must ask for admission before a wake goes into its queue, as far as this process knows. */
export class TenantLimits {
  readonly #crowded = new Set<TenantId>();
  /** Undefined until that is known. */
  #limited: ReadonlySet<TenantId> | undefined;

  /** A tenant was seen within its share, or beyond it. */
  learn(tenant: TenantId, share: { readonly within: boolean }): void {
    if (share.within) this.#crowded.delete(tenant);
    else this.#crowded.add(tenant);
  }

  /** These tenants have limits, and no others. */
  learnLimited(tenants: readonly TenantId[]): void {
    this.#limited = new Set(tenants);
  }

  mustAsk(tenant: TenantId): boolean {
    return this.#limited?.has(tenant) !== false || this.#crowded.has(tenant);
  }
}
