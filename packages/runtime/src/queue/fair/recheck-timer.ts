import type { TenantId } from '@millrace/core';

/** While wakes wait for their turn, workers that have nothing to do are not left without for longer, in milliseconds. */
const lookMs = 100;

/** Looks at tenants again after a short while: once, however often it is asked for meanwhile. */
export class RecheckTimer {
  readonly #look: (tenant: TenantId) => void;
  readonly #timers = new Map<TenantId, NodeJS.Timeout>();
  #closed = false;

  constructor(look: (tenant: TenantId) => void) {
    this.#look = look;
  }

  schedule(tenant: TenantId): void {
    if (this.#closed || this.#timers.has(tenant)) return;
    const look = () => {
      this.#timers.delete(tenant);
      this.#look(tenant);
    };
    this.#timers.set(tenant, setTimeout(look, lookMs));
  }

  /** Looks no more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
