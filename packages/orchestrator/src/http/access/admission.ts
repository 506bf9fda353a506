import type { CallerIdentity } from '@millrace/api';
import { defaultTenant, RequestError } from '@millrace/core';
import type { ApiKey, ApiKeys, Runtime } from '@millrace/runtime';
import { createTenantRuntime, isLoopback, LruMap } from '@millrace/runtime';
import { withRedisTimeout } from '../../context/with-redis-timeout.ts';
import type { Caller } from './caller.ts';
import type { RequestSource } from './local-request.ts';
import { assertLocalRequest } from './local-request.ts';
import type { Bearer, Tokens } from './tokens.ts';

/** Authentication of callers. */
export interface Admission {
  /**
   * Tells if requests need no key: only on an address that no other machine can reach, and as long as there are neither
   * keys nor an identity provider.
   */
  isOpen(): Promise<boolean>;
  /**
   * Returns the caller of a request by its `Authorization` header. Throws RequestError if the request is not allowed.
   */
  callerOf(authorization: string | undefined, source: RequestSource): Promise<Caller>;
}

/** Options of admission. */
export interface AdmissionOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly keys: ApiKeys;
  /** Address that the server listens on. */
  readonly host: string;
  /** Checks tokens of an identity provider; absent: there is none. */
  readonly tokens?: Tokens | undefined;
}

/** Time for which the absence of keys is cached, in milliseconds. */
const openForMs = 500;

/** Authenticates callers by API keys or tokens. */
export function createAdmission({ runtime, keys, host, tokens }: AdmissionOptions): Admission {
  const openness = new LruMap<boolean>({ forMs: openForMs, limit: 1 });
  const isOpen = async () =>
    tokens === undefined && isLoopback(host) && openness.of('', async () => (await keys.tenants('', 1)).length === 0);
  const callerFor = ({ tenant, ...who }: Omit<Caller, 'tenant'> & { readonly tenant: string }): Caller => ({
    ...who,
    tenant: createTenantRuntime(runtime, tenant),
  });

  return {
    isOpen,
    async callerOf(authorization, source) {
      const token = tokenOf(authorization);
      if (token === undefined) {
        if (!(await withRedisTimeout(isOpen()))) throw new RequestError('KEY_MISSING', keyMissing);
        assertLocalRequest(source);
        return callerFor({ name: 'anybody', identity: anybody, tenant: defaultTenant, scopes: ['admin'] });
      }
      if (tokens !== undefined && isToken(token)) return callerFor(bearerCaller(await tokens(token)));
      const key = await withRedisTimeout(keys.identify(token));
      if (key === undefined) throw new RequestError('KEY_INVALID', 'This is no key, or it is not valid any more.');
      return callerFor(callerOfKey(key));
    },
  };
}

const anybody: CallerIdentity = { name: 'anybody', open: true };

const bearerCaller = (bearer: Bearer) => ({ ...bearer, identity: { name: bearer.name, open: false } });

const callerOfKey = ({ id, name, tenant, scopes }: ApiKey) => ({
  name: id,
  identity: { name: name ?? id, open: false },
  tenant,
  scopes,
});

const keyMissing =
  'The request has no API key. Send one, as in "Authorization: Bearer mk_…"; `millrace keys create` makes one.';

/** Tells if a text has the three parts of a token, which no key has. */
const isToken = (text: string): boolean => /^[\w-]+\.[\w-]*\.[\w-]*$/.test(text);

/** Returns the text after `Bearer`; or the whole header if it has another form, which is not a key. */
function tokenOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization === '') return undefined;
  return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? authorization;
}
