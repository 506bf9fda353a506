import { createHmac } from 'node:crypto';
import type { SecretOfWebhook } from '@millrace/api';

/** Derives the secrets of webhooks from the secret of the installation, which all processes must have the same. */
export function createSealing(secret: () => Promise<Buffer>): SecretOfWebhook {
  return async (tenant, webhook) => {
    const key = await secret();
    const derived = createHmac('sha256', key).update(`webhook/${tenant}/${webhook}`).digest('base64');
    return { secret: `whsec_${derived}`, seal: createHmac('sha256', key).update('seal').digest('hex').slice(0, 16) };
  };
}
