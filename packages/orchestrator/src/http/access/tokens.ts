import type { KeyObject } from 'node:crypto';
import { createPublicKey, createSecretKey } from 'node:crypto';
import type { MessageLimits, Scope, TenantId } from '@millrace/core';
import { scopes as allScopes, boundedResponse, describeExceeded, RequestError, tenantPattern } from '@millrace/core';
import { createGuardedFetch, createOutboundPolicy } from '@millrace/runtime';
import type { errors as JoseErrors, JSONWebKeySet, JWK, JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';

/** Tokens of an identity provider that are accepted, and the meaning of their claims. */
export interface TokenTrust {
  /** Keys that sign tokens: the URL of a key set, or the text of a PEM public key, a JWK or a JWKS. */
  readonly keys: { readonly url: string } | { readonly text: string };
  /** Required issuer (`iss`) and audience (`aud`) of a token. */
  readonly issuer: string;
  readonly audience: string;
  /** Accepted JWS algorithms; `none` is never among them. */
  readonly algorithms: readonly string[];
  /** Accepted difference between the clocks. */
  readonly toleranceSeconds: number;
  /** Claim that names the tenant: its name, or a path with dots. */
  readonly tenantClaim: string;
  /** Claim with the permissions: words separated by spaces, or a list. */
  readonly scopesClaim: string;
  /** Scopes that each word of that claim grants; others grant nothing. */
  readonly scopes: Readonly<Record<string, readonly Scope[]>>;
}

/** Caller that a token describes. */
export interface Bearer {
  readonly name: string;
  readonly tenant: TenantId;
  readonly scopes: readonly Scope[];
}

/** Checks tokens. Throws RequestError, `TOKEN_INVALID` or `NOT_READY`, for a token that cannot be accepted. */
export type Tokens = (token: string) => Promise<Bearer>;

type RequiredSetting = 'keys' | 'issuer' | 'audience';

/** Required settings of the identity provider; the others have defaults. */
export type Trust = Pick<TokenTrust, RequiredSetting> & Partial<Omit<TokenTrust, RequiredSetting>>;

const defaults: Omit<TokenTrust, RequiredSetting> = {
  algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
  toleranceSeconds: 5,
  tenantClaim: 'tenant',
  scopesClaim: 'scope',
  scopes: Object.fromEntries(allScopes.map((scope) => [scope, [scope]])),
};

/**
 * Returns the check of JSON web tokens of one issuer. Throws RequestError `TOKEN_KEYS_INVALID` if its keys cannot be
 * used.
 */
export async function createTokens(given: Trust, log: Logger): Promise<Tokens> {
  const trust = { ...defaults, ...given };
  const { errors, jwtVerify, ...jose } = await import('jose');
  const getKey = 'url' in trust.keys ? remoteKeys(jose, trust.keys.url) : localKeys(jose, trust.keys.text);
  const rules = {
    issuer: trust.issuer,
    audience: trust.audience,
    algorithms: trust.algorithms.filter((name) => name !== 'none'),
    clockTolerance: trust.toleranceSeconds,
    requiredClaims: ['exp', 'sub'],
  };
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, getKey, rules);
      return bearerOf(payload, trust);
    } catch (error) {
      const refusal = error instanceof RequestError ? error : refusalOf(errors, error);
      if (refusal.code === 'NOT_READY') log.warn({ err: error }, 'the keys of the identity provider cannot be fetched');
      throw refusal;
    }
  };
}

type Jose = Pick<typeof import('jose'), 'createRemoteJWKSet' | 'createLocalJWKSet' | 'customFetch'>;

/** Limits of a key set; one has a few keys of a kilobyte. */
const keySetLimits: MessageLimits = { bytes: 1024 * 1024, values: 10_000, depth: 20 };

/** Returns keys from a URL, whose host the operator of the server has chosen freely; redirects are refused. */
function remoteKeys({ createRemoteJWKSet, customFetch }: Jose, address: string): JWTVerifyGetKey {
  const url = new URL(address);
  const guarded = createGuardedFetch(createOutboundPolicy([url.hostname.replace(/^\[(.*)\]$/, '$1')]));
  const refuse = (limit: keyof MessageLimits | 'pieces') =>
    new Error(`The key set at ${url.host} ${describeExceeded(limit, keySetLimits)}.`);
  const bounded = async (...asked: Parameters<typeof fetch>) =>
    boundedResponse(await guarded(...asked), { body: keySetLimits, refuse });
  return createRemoteJWKSet(url, { [customFetch]: bounded, timeoutDuration: 2000 });
}

function localKeys({ createLocalJWKSet }: Jose, text: string): JWTVerifyGetKey {
  try {
    const json = text.trimStart().startsWith('{') ? (JSON.parse(text) as JWK | JSONWebKeySet) : undefined; // jose looks at each field
    if (json !== undefined && 'keys' in json) return createLocalJWKSet(json as JSONWebKeySet); // told apart by `keys`
    const key = keyOf(json ?? text);
    return async () => key;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RequestError(
      'TOKEN_KEYS_INVALID',
      `The key for tokens is neither a public key in PEM nor a JWK or JWKS: ${why}`,
    );
  }
}

/** Returns the only key, whatever key id a token names. */
function keyOf(key: JWK | string): KeyObject {
  if (typeof key === 'string') return createPublicKey(key);
  if (key.kty !== 'oct') return createPublicKey({ key, format: 'jwk' });
  const secret = Buffer.from(key.k ?? '', 'base64url');
  if (secret.length < 32) throw new Error('a secret must have at least 32 bytes');
  return createSecretKey(secret);
}

/** Returns the refusal of a token that was not verified. */
function refusalOf({ JOSEError, JWTClaimValidationFailed }: typeof JoseErrors, error: unknown): RequestError {
  // The key does not fit the algorithm of the token.
  if (error instanceof TypeError && error.message !== 'fetch failed') return invalid(unsigned);
  if (!(error instanceof JOSEError) || unreachable.has(error.code)) {
    return new RequestError('NOT_READY', 'The keys of the identity provider cannot be fetched at the moment.');
  }
  if (error instanceof JWTClaimValidationFailed) return invalid(`its claim "${error.claim}" has an unexpected value`);
  return invalid(reasons[error.code] ?? unsigned);
}

const unsigned = 'it is not signed with a key that is trusted here';
const reasons: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not trusted here',
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWS_INVALID: 'it is no token',
  ERR_JWT_INVALID: 'it is no token',
};
/** Errors of fetching the keys, which do not mean that the token is invalid. */
const unreachable: ReadonlySet<string> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);

function bearerOf(payload: JWTPayload, { tenantClaim, scopesClaim, scopes: meaning }: TokenTrust): Bearer {
  const tenant = claimOf(payload, tenantClaim);
  if (typeof tenant !== 'string' || !tenantPattern.test(tenant)) {
    throw invalid(`its claim "${tenantClaim}" names no tenant`);
  }
  const written = claimOf(payload, scopesClaim) ?? [];
  const permissions = typeof written === 'string' ? written.split(/\s+/) : [written].flat();
  const allowed = permissions.flatMap((word) =>
    typeof word === 'string' && Object.hasOwn(meaning, word) ? meaning[word] : [],
  );
  return { name: `${tenant}/${payload.sub}`, tenant, scopes: allScopes.filter((scope) => allowed.includes(scope)) };
}

/** Returns a claim by its name; or by a path, as in `realm_access.roles`. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) => (isMapping(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      payload,
    );
}

const isMapping = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const invalid = (why: string): RequestError => new RequestError('TOKEN_INVALID', `This token is not valid: ${why}.`);
