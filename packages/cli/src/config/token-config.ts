import { omitUndefined } from '@millrace/core/omit-undefined';
import type { TokenTrust } from '@millrace/orchestrator';
import { z } from 'zod';
import type { VariableDescription } from './variable.ts';
import { variable, wholeNumber } from './variable.ts';

const optional = <T extends z.ZodType>(schema: T, about: Omit<VariableDescription, 'readBy'>) =>
  variable(schema.optional(), { ...about, readBy: 'servers' });

const namesInList = (list: string): string[] => list.split(',').map((word) => word.trim());

const isAddress = (location: string): boolean => /^https?:\/\//.test(location);

/** Tests if the keys of a location are protected in transit: replaced keys would make forged tokens valid. */
const isSafe = (location: string): boolean =>
  !isAddress(location) || /^https:|^http:\/\/(localhost|127(\.\d+){3}|\[::1\])([:/]|$)/.test(location);

const Scopes = z.array(z.enum(['read', 'run', 'answer', 'admin']));

/** Environment variables of the identity provider whose tokens the HTTP API accepts. */
export const tokenVariables = {
  MILLRACE_JWT_KEYS: optional(
    z.string().refine(isSafe, 'must be an https:// address (http:// only on this machine) or the path of a file'),
    {
      description: 'Location of the keys with which tokens are verified: a JWKS, a JWK or a PEM public key.',
      format: '`https://` address (`http://` on this machine only), or the path of a file',
      otherwise: 'Tokens are not accepted.',
    },
  ),
  MILLRACE_JWT_ISSUER: optional(z.string(), {
    description: 'Required value of the claim `iss`.',
    otherwise: 'required with `MILLRACE_JWT_KEYS`',
  }),
  MILLRACE_JWT_AUDIENCE: optional(z.string(), {
    description: 'Required value of the claim `aud`.',
    otherwise: 'required with `MILLRACE_JWT_KEYS`',
  }),
  MILLRACE_JWT_ALGORITHMS: optional(
    z
      .string()
      .transform(namesInList)
      .pipe(z.array(z.string().regex(/^(?!none$)\w+$/i, 'must be like RS256,ES256'))),
    {
      description: 'Accepted signature algorithms. Add `HS256` only for a secret of your own in a JWK file.',
      format: 'names separated by commas; never `none`',
      otherwise: '`RS256,PS256,ES256,EdDSA`',
    },
  ),
  MILLRACE_JWT_CLOCK_TOLERANCE: optional(wholeNumber(0, 300), {
    description: 'Tolerated difference of clocks, in seconds.',
    otherwise: '`5`',
  }),
  MILLRACE_JWT_TENANT_CLAIM: optional(z.string(), {
    description: 'Claim that contains the tenant.',
    format: 'name of a claim, or a path to it such as `org.name`',
    otherwise: '`tenant`',
  }),
  MILLRACE_JWT_SCOPES_CLAIM: optional(z.string(), {
    description: 'Claim that contains the permissions: words separated by spaces, or a list.',
    format: 'name of a claim, or a path to it such as `realm_access.roles`',
    otherwise: '`scope`',
  }),
  MILLRACE_JWT_SCOPES: optional(
    z.string().transform((text, { addIssue }) => {
      const meaning = parseMeaning(text);
      if (meaning === undefined) addIssue('must be like ops=admin,dev=read+run');
      return meaning;
    }),
    {
      description: 'The scopes of each of these words. Other words have no scopes.',
      format: '`ops=admin,dev=read+run`',
      otherwise: '`read=read,run=run,answer=answer,admin=admin`',
    },
  ),
};

/** Parses the scopes of each word of a claim, as in `ops=admin,dev=read+run`; undefined when it cannot be read. */
function parseMeaning(text: string): Readonly<Record<string, z.infer<typeof Scopes>>> | undefined {
  const entries = namesInList(text).map((part) => {
    const at = part.lastIndexOf('=');
    return [part.slice(0, at), Scopes.safeParse(part.slice(at + 1).split('+')).data] as const;
  });
  const meaning = entries.flatMap(([word, scopes]) => (word === '' || scopes === undefined ? [] : [[word, scopes]]));
  return meaning.length === entries.length ? Object.fromEntries(meaning) : undefined;
}

/** Issuer of accepted tokens, and their limits; absent ones have the defaults of the API. */
export interface TokenConfig extends Partial<Omit<TokenTrust, 'keys'>> {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: { readonly url: string } | { readonly file: string };
}

type Variables = { [Name in keyof typeof tokenVariables]?: z.infer<(typeof tokenVariables)[Name]> };

const needed = ['MILLRACE_JWT_KEYS', 'MILLRACE_JWT_ISSUER', 'MILLRACE_JWT_AUDIENCE'] as const;

/** Parses the settings; undefined if no tokens are accepted, and a text that states the problem if a setting is missing. */
export function readTokenConfig(variables: Variables): TokenConfig | string | undefined {
  const { MILLRACE_JWT_KEYS: keys, MILLRACE_JWT_ISSUER: issuer, MILLRACE_JWT_AUDIENCE: audience } = variables;
  const set = Object.keys(tokenVariables).filter((name) => variables[name as keyof Variables] !== undefined); // its keys
  if (set.length === 0) return undefined;
  if (keys === undefined || issuer === undefined || audience === undefined) {
    const missing = needed.filter((name) => variables[name] === undefined);
    return `${set.join(', ')}: tokens are believed only where ${needed.join(', ')} are set; add ${missing.join(', ')}`;
  }
  const { MILLRACE_JWT_ALGORITHMS: algorithms, MILLRACE_JWT_CLOCK_TOLERANCE: toleranceSeconds } = variables;
  const { MILLRACE_JWT_TENANT_CLAIM: tenantClaim, MILLRACE_JWT_SCOPES_CLAIM: scopesClaim } = variables;
  const { MILLRACE_JWT_SCOPES: scopes } = variables;
  return omitUndefined({
    keys: isAddress(keys) ? { url: keys } : { file: keys },
    issuer,
    audience,
    algorithms,
    toleranceSeconds,
    tenantClaim,
    scopesClaim,
    scopes,
  });
}
