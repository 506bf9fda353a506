import { omitUndefined, scopes } from '@millrace/core';
import { z } from 'zod';
import { hasScope } from '../operation/call.ts';
import { operation } from '../operation/operation.ts';

/** The caller of a request, and the server that answers it. */
const Me = z
  .object({
    name: z.string().describe('Name of the key, its id if it has none, or the subject of the token.'),
    tenant: z.string(),
    scopes: z.array(z.enum(scopes)),
    operator: z.boolean().describe('The caller may also use the operations on the whole installation.'),
    open: z.boolean().describe('The server requires no key of programs on its own machine.'),
    csrf: z
      .string()
      .optional()
      .describe('Header `X-Millrace-UI` of requests that change something, of a browser that is signed in.'),
    expiresAt: z.number().optional().describe('Milliseconds since 1970 when a browser that stays idle is signed out.'),
    server: z.object({
      version: z.string(),
      now: z.number().describe('Clock of the server, in milliseconds since 1970.'),
      workers: z.number().int().describe('Number of connected workers.'),
      storage: z
        .enum(['redis', 'memory'])
        .describe(
          '`memory`: runs end with the server, and operations that need Redis are refused with `REDIS_MISSING`.',
        ),
    }),
  })
  .meta({ id: 'Me' });

export const getMe = operation({
  name: 'me.get',
  method: 'GET',
  path: '/v1/me',
  scope: scopes,
  summary: 'The caller and its permissions, and the version of the server',
  output: Me,
  async run({ caller, tenant, scopes: held, server, promptly, now }) {
    const workers = await promptly(server.workers());
    return {
      body: {
        name: caller.name,
        tenant: tenant.tenant,
        scopes: [...held],
        operator: hasScope({ scopes: held, tenant }, 'operator'),
        open: caller.open,
        ...omitUndefined({ csrf: caller.session?.csrf, expiresAt: caller.session?.expiresAt }),
        server: { version: server.version, now: now(), workers, storage: server.storage },
      },
      headers: { 'cache-control': 'no-store' },
    };
  },
});
