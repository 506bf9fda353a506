import { randomBytes } from 'node:crypto';
import type { TenantId, WebhookEvent } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';
import type { Deliveries } from './deliveries.ts';
import { createDeliveries } from './deliveries.ts';

/** Address to which the events of the runs of a tenant are delivered. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** Empty: all. */
  readonly events: readonly WebhookEvent[];
  readonly description?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Identifies the secret of the installation from which its own is derived. */
  readonly seal: string;
}

/** The webhooks of a tenant. */
export interface Webhooks {
  /**
   * Creates a webhook; `sealed` returns the sealing parameters for its id. Throws RequestError when there are too many.
   */
  create(
    wanted: Pick<Webhook, 'url' | 'events' | 'description'>,
    sealed: (id: string) => string | Promise<string>,
  ): Promise<Webhook>;
  /** Throws RequestError, as `remove` does, when there is none of this id. */
  find(id: string): Promise<Webhook>;
  list(): Promise<readonly Webhook[]>;
  /** Changes a webhook; its secret stays. Throws RequestError when there is none of this id. */
  change(id: string, change: Partial<Pick<Webhook, 'url' | 'events' | 'description'>>): Promise<Webhook>;
  remove(id: string): Promise<Webhook>;
  /** Log of the deliveries to a webhook, or (`ownWebhook`) to those that single runs have. */
  deliveries(id: string): Deliveries;
}

/** A tenant that needs more should use one receiver that distributes events. */
const limit = 100;
/** Returns the register of the webhooks of a tenant. */
export const webhookRegister = (tenant: TenantId): string => `webhooks/${tenant}`;

/** Returns whether a tenant has webhooks. */
export const hasWebhooks = async ({ registry }: Pick<Store, 'registry'>, tenant: TenantId): Promise<boolean> =>
  (await registry.page(webhookRegister(tenant), '', 1)).length > 0;

/** Webhooks in the registry of a store. */
export function createWebhooks({ registry, now }: Pick<Store, 'registry' | 'now'>, tenant: TenantId): Webhooks {
  const register = webhookRegister(tenant);
  const list = async (): Promise<readonly Webhook[]> =>
    (await registry.page(register, '', limit)).map(({ json }) => JSON.parse(json) as Webhook); // written below
  const text = async (id: string): Promise<string> => {
    const json = await registry.read(register, id);
    if (json === undefined) throw new RequestError('WEBHOOK_UNKNOWN', `There is no webhook ${id}.`);
    return json;
  };
  const find = async (id: string): Promise<Webhook> => JSON.parse(await text(id)) as Webhook; // written below
  return {
    list,
    find,
    async create(wanted, sealed) {
      if ((await list()).length >= limit)
        throw new RequestError(
          'WEBHOOKS_TOO_MANY',
          `There are ${limit} webhooks already; delete one that is not used.`,
        );
      const id = `wh_${randomBytes(9).toString('hex')}`;
      const webhook: Webhook = { id, ...wanted, createdAt: now(), seal: await sealed(id) };
      await registry.write(register, id, JSON.stringify(webhook));
      return webhook;
    },
    async change(id, change) {
      for (;;) {
        const before = await text(id);
        const changed: Webhook = { ...(JSON.parse(before) as Webhook), ...change }; // written here
        if (await registry.exchange(register, id, { before, after: JSON.stringify(changed) })) return changed;
      }
    },
    async remove(id) {
      const webhook = await find(id);
      await registry.remove(register, id);
      await createDeliveries({ registry }, { tenant, webhook: id }).clear();
      return webhook;
    },
    deliveries: (id) => createDeliveries({ registry }, { tenant, webhook: id }),
  };
}
