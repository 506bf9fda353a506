import type { BrowserSession, CallerIdentity } from '@millrace/api';
import type { Scope, TenantId } from '@millrace/core';
import { defaultTenant, RequestError } from '@millrace/core';
import type { ApiKey, ApiKeys, Runtime, Sessions, TenantRuntime } from '@millrace/runtime';
import { createTenantRuntime, isLoopback } from '@millrace/runtime';
import { withRedisTimeout } from '../../context/with-redis-timeout.ts';
import type { RequestSource } from './local-request.ts';
import { assertLocalRequest } from './local-request.ts';
import { assertCsrf, assertOwnPage, sessionTokenIn } from './session-cookie.ts';
import type { Tokens } from './tokens.ts';

/** Authentication of callers. */
export interface Authenticator {
  /**
   * Returns the caller of a request by its `Authorization` header, or else by the cookie of a signed-in browser. Throws
   * RequestError if the request is not allowed.
   */
  callerOf(authorization: string | undefined, source: RequestSource): Promise<Caller>;
}

/** Options of authenticator. */
export interface AuthenticatorOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  /** Address that the server listens on. */
  readonly host: string;
  /** Checks tokens of an identity provider; absent: there is none. */
  readonly tokens?: Tokens | undefined;
}

/** Authenticates callers by API keys, tokens or cookies. */
export function createAuthenticator({ runtime, keys, sessions, host, tokens }: AuthenticatorOptions): Authenticator {
  // No key is required on an address that no other machine can reach, as long as there are neither keys nor an
  // identity provider. Every request looks: once a key is made, by whatever process, none is served without one.
  const isOpen = async () => tokens === undefined && isLoopback(host) && (await keys.tenants('', 1)).length === 0;
  const callerFor = ({ tenant, ...who }: TenantCaller): Caller => ({
    ...who,
    tenant: createTenantRuntime(runtime, tenant),
  });

  async function anybodyFrom(source: RequestSource, otherwise: () => RequestError): Promise<Caller> {
    if (!(await withRedisTimeout(isOpen()))) throw otherwise();
    assertLocalRequest(source);
    return callerFor({ ...anybody, isStillAdmitted: isOpen });
  }

  async function signedIn(token: string, source: RequestSource): Promise<Caller> {
    const session = await withRedisTimeout(sessions.find(token));
    if (session === undefined) return anybodyFrom(source, () => new RequestError('SESSION_ENDED', sessionEnded));
    assertOwnPage(source);
    assertCsrf(source, session.csrf);
    await withRedisTimeout(sessions.renew(token));
    const { key, csrf, expiresAt } = session;
    const isStillAdmitted = async () => (await sessions.find(token)) !== undefined;
    return callerFor({ ...ownerOf(key, { csrf, expiresAt }), isStillAdmitted });
  }

  async function bearerOf(token: string, trusted: Tokens): Promise<Caller> {
    const bearer = await trusted(token);
    const isStillAdmitted = async () => (await trusted(token).catch(unlessInvalid)) !== undefined;
    return callerFor({ ...bearer, identity: { name: bearer.name, open: false }, isStillAdmitted });
  }

  return {
    async callerOf(authorization, source) {
      const token = tokenOf(authorization);
      if (token === undefined) {
        const session = wasTyped(source) ? undefined : sessionTokenIn(source);
        if (session !== undefined) return signedIn(session, source);
        return anybodyFrom(source, () => new RequestError('KEY_MISSING', keyMissing));
      }
      if (tokens !== undefined && isToken(token)) return bearerOf(token, tokens);
      const key = await withRedisTimeout(keys.identify(token));
      if (key === undefined) throw new RequestError('KEY_INVALID', 'The API key is unknown or no longer valid.');
      return callerFor({ ...ownerOf(key), isStillAdmitted: async () => (await keys.identify(token)) !== undefined });
    },
  };
}

type TenantCaller = Omit<Caller, 'tenant'> & { readonly tenant: TenantId };

const anybody: Omit<TenantCaller, 'isStillAdmitted'> = {
  name: 'anybody',
  identity: { name: 'anybody', open: true },
  tenant: defaultTenant,
  scopes: ['admin'],
};

const ownerOf = (
  { id, name, tenant, scopes }: ApiKey,
  session?: BrowserSession,
): Omit<TenantCaller, 'isStillAdmitted'> => ({
  name: id,
  identity: { name: name ?? id, open: false, session },
  tenant,
  scopes,
});

/** Keeps a caller admitted while the identity provider does not respond. */
function unlessInvalid(error: unknown): undefined {
  if (error instanceof RequestError && error.code === 'TOKEN_INVALID') return undefined;
  throw error;
}

/** Returns whether a person opened the address itself: no page asks, so no cookie counts. */
const wasTyped = ({ headers }: RequestSource): boolean => headers['sec-fetch-site'] === 'none';

const sessionEnded =
  'This browser is no longer signed in: the session has expired or was ended, or its key is not valid any more. Sign in again.';

const keyMissing =
  'The request has no API key. Send one, as in "Authorization: Bearer mk_…"; `millrace keys create` makes one.';

/** Returns whether a text has the three parts of a token, which no key has. */
const isToken = (text: string): boolean => /^[\w-]+\.[\w-]*\.[\w-]*$/.test(text);

/** Returns the text after `Bearer`; or the whole header if it has another form, which is not a key. */
function tokenOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization === '') return undefined;
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? authorization;
}

/**
 * The caller of a request, with the parts of the installation that belong to its tenant: all that a route works with.
 */
interface Caller {
  /** Name of the key, or subject of the token, in logs and limits. */
  readonly name: string;
  readonly identity: CallerIdentity;
  readonly scopes: readonly Scope[];
  readonly tenant: TenantRuntime;
  /** Returns whether the caller would still be admitted: its key may be revoked during a long response. */
  isStillAdmitted(): Promise<boolean>;
}

/**
 * Scope that a route requires: a scope, or any of several; `operator` for the whole installation, which is an admin of
 * the default tenant; or `nobody`. A route without it cannot be added.
 */
export type RouteScope = Scope | readonly Scope[] | 'operator' | 'nobody';

declare module 'fastify' {
  interface FastifyContextConfig {
    requiredScope?: RouteScope;
    /**
     * Pages for people in a browser, which cannot send a bearer token: the key may also be the password of HTTP Basic.
     * Only for routes that change nothing, because browsers send a password with requests of any page.
     */
    browser?: true;
  }
  interface FastifyRequest {
    /** Set before the handler of every route that requires a scope, and never for others. */
    caller: Caller;
  }
}
