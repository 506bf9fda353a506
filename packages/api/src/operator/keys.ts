import { omitUndefined } from '@millrace/core';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { malformed } from '../operation/refusal.ts';
import { cutPage, PageLimit, pageOf } from '../schemas/page.ts';
import { Key, KeyPath, keyOf, MadeKey, NewKey } from './key.ts';

export const listKeys = operation({
  name: 'keys.list',
  method: 'GET',
  path: '/v1/keys',
  cli: 'keys list',
  scope: 'admin',
  summary: 'The API keys of the tenant',
  query: z.object({ limit: PageLimit, cursor: z.string().max(12).default('') }),
  output: pageOf(Key),
  async run({ tenant, keys }, { limit, cursor }) {
    const found = await keys.list(tenant.tenant, cursor, limit + 1);
    const { page, nextCursor } = cutPage(found, limit, ({ id }) => id);
    return { body: { data: page.map(keyOf), nextCursor } };
  },
});

export const createKey = operation({
  name: 'keys.create',
  method: 'POST',
  path: '/v1/keys',
  cli: 'keys create --scopes <scopes:list> [--name name] [--expires expiresAt:days]',
  scope: 'admin',
  summary: 'Make an API key',
  body: NewKey,
  example: { scopes: ['read', 'run'], name: 'nightly reports' },
  output: MadeKey,
  status: 201,
  idempotency: 'never',
  needs: 'redis',
  async run({ tenant, keys, now }, { scopes, name, expiresAt }) {
    if (expiresAt !== undefined && expiresAt <= now()) {
      throw malformed('body', [{ pointer: '/expiresAt', detail: 'has passed; it is in milliseconds since 1970' }]);
    }
    const { key, secret } = await keys.create(omitUndefined({ tenant: tenant.tenant, scopes, name, expiresAt }));
    return { body: { ...keyOf(key), key: secret }, headers: { 'cache-control': 'no-store' } };
  },
});

export const revokeKey = operation({
  name: 'keys.revoke',
  method: 'DELETE',
  path: '/v1/keys/:id',
  cli: 'keys revoke <id>',
  scope: 'admin',
  summary: 'Revoke an API key',
  params: KeyPath,
  output: Key,
  run: async ({ tenant, keys }, { id }) => ({ body: keyOf(await keys.revoke(tenant.tenant, id)) }),
});
