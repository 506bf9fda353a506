import type { ApiKey } from '@millrace/runtime';
import { columns } from './columns.ts';

/** API keys as aligned columns; `now` is in milliseconds since 1970. */
export function keysTable(keys: readonly ApiKey[], now: number): string {
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

function stateOf({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined) return 'valid';
  return expiresAt <= now ? 'expired' : `valid until ${new Date(expiresAt).toISOString()}`;
}
