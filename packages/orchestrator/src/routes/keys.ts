import { Key, KeyPath, keyOf, MadeKey, malformed, NewKey, PageLimit, problems } from '@millrace/api';
import { z } from 'zod';
import type { Api } from '../api.ts';
import type { Server } from '../server.ts';

const Query = z.object({ limit: PageLimit, cursor: z.string().max(12).default('') });

/** API keys of the caller's own tenant. */
export function addKeyRoutes(server: Server, { keys, now }: Api): void {
  server.get(
    '/v1/keys',
    {
      config: { demand: 'admin' },
      schema: {
        summary: 'The API keys of the tenant',
        querystring: Query,
        response: { 200: z.object({ data: z.array(Key), nextCursor: z.string().nullable() }), ...problems },
      },
    },
    async ({ caller: { space }, query: { limit, cursor } }) => {
      const found = await keys.list(space.tenant, cursor, limit + 1);
      const data = found.slice(0, limit).map(keyOf);
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
  );
  server.post(
    '/v1/keys',
    {
      config: { demand: 'admin', replay: 'never' },
      schema: { summary: 'Make an API key', body: NewKey, response: { 201: MadeKey, ...problems } },
    },
    async ({ caller: { space }, body: { scopes, name, expiresAt } }, reply) => {
      if (expiresAt !== undefined && expiresAt <= now()) {
        throw malformed('body', [{ pointer: '/expiresAt', detail: 'has passed; it is in milliseconds since 1970' }]);
      }
      const { key, secret } = await keys.create({
        tenant: space.tenant,
        scopes,
        ...(name === undefined ? {} : { name }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...keyOf(key), key: secret });
    },
  );
  server.delete(
    '/v1/keys/:id',
    {
      config: { demand: 'admin' },
      schema: { summary: 'Revoke an API key', params: KeyPath, response: { 200: Key, ...problems } },
    },
    async ({ caller: { space }, params: { id } }) => keyOf(await keys.revoke(space.tenant, id)),
  );
}
