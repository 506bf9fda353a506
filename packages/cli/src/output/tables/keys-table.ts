import type { Key } from '@millrace/client';
import { columns } from './columns.ts';

/** API key with the name of its tenant. */
export type TenantKey = Key & { readonly tenant: string };

/** Returns API keys as aligned columns; `now` is in milliseconds since 1970. */
export function keysTable(keys: readonly TenantKey[], now: number): string {
  return columns(
    ['ID', 'TENANT', 'SCOPES', 'NAME', 'CREATED', 'STATE'],
    keys.map((key) => [
      key.id,
      key.tenant,
      key.scopes.join(','),
      key.name ?? '',
      new Date(key.createdAt).toISOString(),
      stateOf(key, now),
    ]),
  );
}

function stateOf({ revokedAt, expiresAt }: Key, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined) return 'valid';
  return expiresAt <= now ? 'expired' : `valid until ${new Date(expiresAt).toISOString()}`;
}
