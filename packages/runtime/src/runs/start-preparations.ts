import type { TenantId } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import type { Plans } from '../commit/plans.ts';
import type { StartRequest } from '../contract/runs.ts';
import type { StartPreconditions, Store } from '../ports/store/port.ts';
import { definitionRef, saveDefinition } from '../resources/definition-text.ts';
import { hasWebhooks, webhookRegister } from '../resources/webhooks.ts';

/** Maximum number of tenants, and of workflows with their texts, that a process remembers. */
const maxRemembered = 1_000;

/** A start that the store is prepared for. */
interface PreparedStart {
  readonly request: StartRequest;
  readonly tenant: TenantId;
  /** Hash of the workflow. */
  readonly hash: string;
  /** The preconditions that were returned before were not met. */
  readonly isRepeated: boolean;
}

/**
 * Prepares the store for starts: stores the workflow, and learns whether the tenant has webhooks. A process does so once for
 * each workflow and tenant; the commits of starts assume that nothing has changed, and check it.
 */
export class StartPreparations {
  readonly #store: Store;
  readonly #plans: Plans;
  /** Tenants that had webhooks, or had none, when that was asked last. */
  readonly #webhooks = new LRUCache<TenantId, boolean>({ max: maxRemembered });
  /** Hashes of workflows, and of their texts, that this process has stored. */
  readonly #stored = new LRUCache<string, true>({ max: maxRemembered });

  constructor(store: Store, plans: Plans) {
    this.#store = store;
    this.#plans = plans;
  }

  /** Returns what the commit of a start assumes, after preparing the store for it if need be. */
  async prepare({ request, tenant, hash, isRepeated }: PreparedStart): Promise<StartPreconditions> {
    const text = definitionRef(request.definition)?.hash;
    const isStored = this.#stored.has(hash) && (text === undefined || this.#stored.has(text));
    if (isRepeated || !isStored || !this.#webhooks.has(tenant)) {
      const [has] = await Promise.all([
        hasWebhooks(this.#store, tenant),
        this.#plans.save(request.workflow),
        saveDefinition(this.#store, request.definition),
      ]);
      this.#webhooks.set(tenant, has);
      this.#stored.set(hash, true);
      if (text !== undefined) this.#stored.set(text, true);
    }
    const register = { name: webhookRegister(tenant), hasEntries: this.#webhooks.get(tenant) ?? false };
    return omitUndefined({ plan: hash, register, text });
  }
}
