import type { TenantId } from '@millrace/core';

/** The secret of a webhook, by which its receiver authenticates deliveries. It is derived when needed and stored nowhere. */
export interface DerivedSecret {
  /** As Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
  readonly secret: string;
  /** Fingerprint of the secret of the installation that the secret is derived from. */
  readonly seal: string;
}

/** Derives the secret of a webhook. */
export type SecretOfWebhook = (tenant: TenantId, webhook: string) => Promise<DerivedSecret>;
