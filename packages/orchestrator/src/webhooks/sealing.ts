import { createHmac } from 'node:crypto';

/** The secret of a webhook, by which its receiver knows who speaks. It is kept nowhere: it is derived when it is needed. */
export interface Sealed {
  /** As Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
  readonly secret: string;
  /** Tells secrets of the installation apart without telling them. */
  readonly seal: string;
}

/** Derives the secrets of webhooks. */
export type Sealing = (tenant: string, webhook: string) => Promise<Sealed>;

/** Derives them from the secret of the installation, which all processes must have the same. */
export function createSealing(secret: () => Promise<Buffer>): Sealing {
  return async (tenant, webhook) => {
    const key = await secret();
    const derived = createHmac('sha256', key).update(`webhook/${tenant}/${webhook}`).digest('base64');
    return { secret: `whsec_${derived}`, seal: createHmac('sha256', key).update('seal').digest('hex').slice(0, 16) };
  };
}
