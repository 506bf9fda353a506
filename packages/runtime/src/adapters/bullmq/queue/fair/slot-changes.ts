import type { TenantId, Wake } from '@millrace/core';
import { defaultQueue, tenantOf } from '@millrace/core';
import type { SlotChange } from './admission-script.ts';

/** Changes of slots that are not reported yet. A slot that was taken and released meanwhile is no change. */
export class SlotChanges {
  readonly #tenants = new Map<TenantId, Map<string, SlotChange>>();

  note({ run, queue = defaultQueue }: Wake, by: number): void {
    const tenant = tenantOf(run);
    const kinds = this.#tenants.get(tenant) ?? new Map<string, SlotChange>();
    const kind = `${queue}.${run}`;
    this.#tenants.set(tenant, kinds.set(kind, { run, queue, by: (kinds.get(kind)?.by ?? 0) + by }));
  }

  /** Tenants with changes. */
  tenants(): readonly TenantId[] {
    return [...this.#tenants.keys()];
  }

  /** Returns the changes of a tenant and removes them. */
  take(tenant: TenantId): readonly SlotChange[] {
    const kinds = this.#tenants.get(tenant);
    this.#tenants.delete(tenant);
    return [...(kinds?.values() ?? [])].filter(({ by }) => by !== 0);
  }
}
