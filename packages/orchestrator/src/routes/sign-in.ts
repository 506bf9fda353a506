import { problems } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { ApiKeys, Sessions } from '@millrace/runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withRedisTimeout } from '../context/with-redis-timeout.ts';
import type { CountUnauthenticated } from '../http/access/http-limits.ts';
import {
  assertCsrf,
  assertOwnPage,
  assertPrivateConnection,
  cookieWith,
  cookieWithout,
  sessionTokenIn,
} from '../http/access/session-cookie.ts';
import type { Server } from '../http/server.ts';

/** Parts of a server that sign browsers in. */
interface SignInOptions {
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly countUnauthenticated: CountUnauthenticated;
}

const SignIn = z.strictObject({ key: z.string().min(1).max(500).describe('An API key.') }).meta({ id: 'SignIn' });

const SignedIn = z
  .object({
    csrf: z.string().describe('Header `X-Millrace-UI` of requests that change something.'),
    expiresAt: z.number().describe('Milliseconds since 1970 when the session ends if the browser stays idle.'),
  })
  .meta({ id: 'SignedIn' });

/** Maximum size of a body, in bytes: it contains one key, and is read before anybody is known. */
const bodyLimit = 4096;

/**
 * Options of both routes. They count by address with a name of their own, so that requests for pages, which need no key, lock
 * nobody out.
 */
const options = {
  bodyLimit,
  config: { requiredScope: 'nobody', rateLimit: { keyGenerator: ({ ip }: FastifyRequest) => `sign-in ${ip}` } },
} as const;

/** Adds the routes by which a browser exchanges a key for a cookie, and gives the cookie back. */
export function addSignInRoutes(server: Server, { keys, sessions, countUnauthenticated }: SignInOptions): void {
  server.post(
    '/v1/sign-in',
    {
      ...options,
      schema: {
        summary: 'Exchange a key for a cookie; for pages of this server',
        body: SignIn,
        response: { 200: SignedIn, ...problems },
      },
    },
    async (request, reply) => {
      assertPrivateConnection(request);
      assertOwnPage(request);
      const key = await withRedisTimeout(keys.identify(request.body.key));
      if (key === undefined) {
        await countUnauthenticated(request, reply);
        throw new RequestError('KEY_INVALID', 'The API key is unknown or no longer valid.');
      }
      // A session that the browser already has is never continued: another person may know its token.
      const { token, session } = await withRedisTimeout(sessions.begin(key));
      const previous = sessionTokenIn(request);
      if (previous !== undefined) await withRedisTimeout(sessions.end(previous));
      const { csrf, expiresAt } = session;
      return reply
        .headers({ 'set-cookie': cookieWith(token, request), 'cache-control': 'no-store' })
        .send({ csrf, expiresAt });
    },
  );
  server.delete(
    '/v1/sign-in',
    {
      ...options,
      schema: {
        summary: 'Sign this browser out',
        response: { 204: z.undefined().describe('The browser is signed out.'), ...problems },
      },
    },
    async (request, reply) => {
      if ((await endSession(request, sessions)) === 'unknown') await countUnauthenticated(request, reply);
      return reply
        .headers({ 'set-cookie': cookieWithout(request), 'cache-control': 'no-store' })
        .code(204)
        .send();
    },
  );
}

async function endSession(request: FastifyRequest, sessions: Sessions): Promise<'ended' | 'absent' | 'unknown'> {
  const token = sessionTokenIn(request);
  if (token === undefined) return 'absent';
  if (request.headers.authorization !== undefined) throw new RequestError('REQUEST_INVALID', bothCredentials);
  const session = await withRedisTimeout(sessions.find(token));
  if (session === undefined) return 'unknown';
  assertOwnPage(request);
  assertCsrf(request, session.csrf);
  await withRedisTimeout(sessions.end(token));
  return 'ended';
}

const bothCredentials =
  'The request has a cookie and the header Authorization, so the cookie does not count. Send it without that header.';
