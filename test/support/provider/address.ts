import type { IncomingHttpHeaders } from 'node:http';
import type { Quirk } from './quirks/quirks.ts';
import { quirks } from './quirks/quirks.ts';
import type { Refusal } from './rules/refusal.ts';
import type { Api, Json, Vendor } from './turn.ts';
import { textOf } from './turn.ts';

/** What a path leads to. */
export interface Address {
  /** Undefined if the path names no vendor. */
  readonly named: Vendor | undefined;
  readonly quirkName: string;
  readonly quirk: Quirk;
  readonly api: Api | 'embeddings' | 'models';
  readonly model: string;
  readonly stream: boolean;
}

const vendors: readonly Vendor[] = ['openai', 'anthropic', 'gemini', 'compatible'];
const isVendor = (name: string): name is Vendor => vendors.some((vendor) => vendor === name);

const endpoints: readonly (readonly [RegExp, Address['api']])[] = [
  [/^chat\/completions$/, 'chat'],
  [/^responses$/, 'responses'],
  [/^messages$/, 'messages'],
  [/^embeddings$/, 'embeddings'],
  [/^models\/(?<model>[^:/]+):(?<method>generateContent|streamGenerateContent)$/, 'content'],
  [/^models(\/[^:/]+)?$/, 'models'],
];

const path =
  /^(?<names>(?:\/[a-z0-9]+)*?)(?:\/v1(?:beta)?)?\/(?<rest>chat\/completions|responses|messages|embeddings|models(?:\/[^/]+)?)$/;

/** Returns what a path leads to, or a sentence that says why it leads nowhere. */
export function addressOf(requested: string, body: Json): Address | string {
  const { pathname } = new URL(requested, 'http://provider');
  const { names: written = '', rest = '' } = path.exec(pathname)?.groups ?? {};
  const names = written.split('/').filter((name) => name !== '');
  const found = endpoints.flatMap(([pattern, api]) => {
    const match = pattern.exec(decodeURIComponent(rest));
    return match === null ? [] : [{ api, ...match.groups }];
  })[0] as { api: Address['api']; model?: string; method?: string } | undefined; // the groups of the patterns
  if (found === undefined) return `No such endpoint: ${pathname}`;
  const unknown = names.find((name) => !isVendor(name) && !Object.hasOwn(quirks, name));
  if (unknown !== undefined)
    return `No such vendor or quirk: "${unknown}". There are ${[...vendors, ...Object.keys(quirks)].join(', ')}.`;
  const quirkName = names.find((name) => !isVendor(name)) ?? 'ok';
  return {
    named: names.find(isVendor),
    quirkName,
    quirk: quirks[quirkName] ?? {},
    api: found.api,
    model: found.model ?? textOf(body['model']),
    stream: found.method === undefined ? body['stream'] === true : found.method === 'streamGenerateContent',
  };
}

const apisOf: Readonly<Record<Vendor, readonly Address['api'][]>> = {
  openai: ['chat', 'responses', 'embeddings', 'models'],
  compatible: ['chat', 'embeddings', 'models'],
  anthropic: ['messages', 'models'],
  gemini: ['content', 'models'],
};

/** Returns the vendor whose API a request speaks. */
export function vendorOf({ named, api }: Pick<Address, 'named' | 'api'>): Vendor {
  return named ?? (api === 'messages' ? 'anthropic' : api === 'content' ? 'gemini' : 'compatible');
}

/** Returns the key of an account as its vendor reads it. */
export const keyOf = (headers: IncomingHttpHeaders): string =>
  textOf(headers['x-api-key']) ||
  textOf(headers['x-goog-api-key']) ||
  textOf(headers.authorization).replace(/^Bearer /, '');

/** Returns the refusal of a vendor for a request at the wrong place, or without what every request must have. */
export function entryRefusal({ named, api }: Address, headers: IncomingHttpHeaders): Refusal | undefined {
  if (named === undefined) return undefined;
  if (!apisOf[named].includes(api)) return { refuse: 404, message: 'Not Found' };
  if (named === 'anthropic') {
    if (headers['x-api-key'] === undefined && headers.authorization === undefined)
      return { refuse: 401, message: 'x-api-key header is required' };
    if (headers['anthropic-version'] === undefined)
      return { refuse: 400, message: 'anthropic-version: header is required' };
  }
  if (named === 'openai' && headers.authorization === undefined)
    return {
      refuse: 401,
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    };
  if (named === 'gemini' && headers['x-goog-api-key'] === undefined)
    return {
      refuse: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    };
  return undefined;
}
