import type { TenantId } from '@millrace/core';

/** Longest time for which idle workers are left without work while wakes wait in lanes, in milliseconds. */
const lookMs = 100;

/** Checks tenants again after a short while: once, however often it is requested meanwhile. */
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

  /** Stops the checks. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
