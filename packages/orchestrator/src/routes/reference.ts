import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '../http/server.ts';
import { fileSender } from '../http/static-files.ts';

/** Content security policy of the API reference: nothing from elsewhere, no inline scripts or styles, no `eval`. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const open = { schema: { hide: true }, config: { requiredScope: 'nobody' } } as const;

/** Adds the OpenAPI document at `/openapi.json`, and at `/docs` the page on which people read it and try requests out. */
export function addReferenceRoutes(server: Server, root: string | undefined): void {
  server.get('/openapi.json', open, async () => server.swagger());
  if (root === undefined) return;
  if (!existsSync(join(root, 'index.html'))) {
    server.get('/docs', open, async (_request, reply) => reply.code(503).type('text/plain').send(notBuilt));
    return;
  }
  const sendFile = fileSender(root);
  const headers = { 'content-security-policy': policy };
  server.get('/docs', open, async (request, reply) =>
    sendFile(request, reply.headers({ ...headers, 'cache-control': 'no-store' }), 'index.html'),
  );
  server.get('/docs/', open, async (_request, reply) => reply.redirect('/docs'));
  server.get('/docs/assets/*', open, async (request, reply) =>
    sendFile(
      request,
      reply.headers({ ...headers, 'cache-control': 'public, max-age=31536000, immutable' }),
      `assets/${(request.params as { '*': string })['*']}`,
    ),
  );
}

const notBuilt =
  'The API reference is not built in this copy of Millrace; /openapi.json is there.\nRun `npm run setup` in its repository, and restart.\n';
