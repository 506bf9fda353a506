import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '../http/server.ts';
import { fileSender } from '../http/static-files.ts';

const place = '/ui/';

/** Content security policy of the dashboard: nothing from elsewhere, no inline scripts, no markup made of strings. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types millrace',
].join('; ');

const open = { schema: { hide: true }, config: { requiredScope: 'nobody' } } as const;

/** Serves the files of the dashboard under `/ui/`; every address below it is a screen. */
export function addUiRoutes(server: Server, root: string): void {
  server.get('/ui', open, async (_request, reply) => reply.redirect(place));
  if (!existsSync(join(root, 'index.html'))) {
    server.get(`${place}*`, open, async (_request, reply) => reply.code(503).type('text/plain').send(notBuilt));
    return;
  }
  const sendFile = fileSender(root);
  server.get(`${place}*`, open, async (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    // Files have names with a hash or an extension; everything else is a screen of the one page.
    const cached = path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-store';
    reply.headers({ 'content-security-policy': policy, 'cache-control': cached });
    return sendFile(request, reply, isFile(path) ? path : 'index.html');
  });
}

const notBuilt =
  'The dashboard is not built in this copy of Millrace.\nRun `npm run build -w @millrace/dashboard` in its repository, and restart.\n';

const isFile = (path: string): boolean => path.startsWith('assets/') || /^[\w-]+\.(svg|png|ico|txt)$/.test(path);
