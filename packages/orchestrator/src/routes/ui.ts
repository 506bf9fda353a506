import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Server } from '../http/server.ts';
import { fileSender } from '../http/static-files.ts';

const place = '/ui/';

/** Place in the page of the nonce of its styles: the editor of workflows adds a style element. */
const noncePlace = 'NONCE_OF_STYLES';

/** Content security policy of the dashboard: nothing from elsewhere, no inline scripts, no markup made of strings. */
const policyWith = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
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
const policy = policyWith("'self'");

const open = { schema: { hide: true }, config: { requiredScope: 'nobody' } } as const;

/** Serves the files of the dashboard under `/ui/`; every address below it is a screen. */
export function addUiRoutes(server: Server, root: string): void {
  server.get('/ui', open, async (_request, reply) => reply.redirect(place));
  if (!existsSync(join(root, 'index.html'))) {
    server.get(`${place}*`, open, async (_request, reply) => reply.code(503).type('text/plain').send(notBuilt));
    return;
  }
  // Browsers ask for an icon there when they show JSON or text.
  server.get('/favicon.ico', open, async (_request, reply) => reply.redirect(`${place}favicon.svg`));
  const sendFile = fileSender(root);
  server.get(`${place}*`, open, async (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    // Files have names with a hash or an extension; everything else is a screen of the one page.
    const cached = path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-store';
    reply.header('cache-control', cached);
    if (!isFile(path)) return sendPage(reply, root);
    reply.header('content-security-policy', policy);
    return sendFile(request, reply, path);
  });
}

/** Replies with the page, whose styles have a nonce of their own each time. */
async function sendPage(reply: FastifyReply, root: string): Promise<FastifyReply> {
  const nonce = randomBytes(18).toString('base64');
  const page = await readFile(join(root, 'index.html'), 'utf8');
  reply.header('content-security-policy', policyWith(`'self' 'nonce-${nonce}'`));
  return reply.type('text/html; charset=utf-8').send(page.replace(noncePlace, nonce));
}

const notBuilt =
  'The dashboard is not built in this copy of Millrace.\nRun `npm run setup` in its repository, and restart.\n';

const isFile = (path: string): boolean => path.startsWith('assets/') || /^[\w-]+\.(svg|png|ico|txt)$/.test(path);
