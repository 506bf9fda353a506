import type { AskedModel, LocatedModel, MessageLimits, ModelLookup } from '@millrace/core';
import { boundedResponse, describeExceeded } from '@millrace/core';
import type { Finding } from '@millrace/runtime';
import { z } from 'zod';

/*
 * Compares the models that workflows name with the lists of their vendors. A list has the names that a key may use; those
 * of Anthropic and Google have limits, too.
 */

/** A model in the list of a vendor; absent limits are unknown. */
interface VendorModel {
  readonly name: string;
  readonly context?: number | undefined;
  readonly output?: number | undefined;
}

/** The API of a vendor's list. */
interface VendorList {
  readonly address: string;
  readonly path: string;
  headers(key: string): Readonly<Record<string, string>>;
  readonly schema: z.ZodType<readonly VendorModel[]>;
}

const limit = z.int().min(1).optional().catch(undefined);

const lists: Readonly<Record<string, VendorList>> = {
  openai: {
    address: 'https://api.openai.com/v1',
    path: '/models',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    schema: z
      .object({ data: z.array(z.object({ id: z.string() })) })
      .transform(({ data }) => data.map(({ id }) => ({ name: id }))),
  },
  anthropic: {
    address: 'https://api.anthropic.com',
    path: '/v1/models?limit=1000',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    schema: z
      .object({ data: z.array(z.object({ id: z.string(), max_input_tokens: limit, max_tokens: limit })) })
      .transform(({ data }) =>
        data.map(({ id, max_input_tokens: context, max_tokens: output }) => ({ name: id, context, output })),
      ),
  },
  gemini: {
    address: 'https://generativelanguage.googleapis.com',
    path: '/v1beta/models?pageSize=1000',
    headers: (key) => ({ 'x-goog-api-key': key }),
    schema: z
      .object({ models: z.array(z.object({ name: z.string(), inputTokenLimit: limit, outputTokenLimit: limit })) })
      .transform(({ models }) =>
        models.map(({ name, inputTokenLimit: context, outputTokenLimit: output }) => ({
          name: name.replace(/^models\//, ''),
          context,
          output,
        })),
      ),
  },
};

const timeoutMs = 30_000;
const limits: MessageLimits = { bytes: 4 * 1024 * 1024, values: 200_000, depth: 20 };

/** How the list of a vendor is asked. */
export interface ListAccess extends Pick<AskedModel, 'provider' | 'baseUrl'> {
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}

/** Returns where the list of a vendor contradicts what workflows name, and what is known of it. */
export async function compareWithList(
  access: ListAccess,
  named: readonly LocatedModel[],
  lookup: ModelLookup,
): Promise<readonly Finding[]> {
  const subject = access.provider;
  const own = named.filter((model) => model.provider === subject && model.baseUrl === undefined);
  if (own.length === 0) return [];
  const listed = await readList(access);
  if (typeof listed === 'string') return [{ level: 'weak', subject, message: `its list of models: ${listed}` }];
  return own
    .flatMap((model) => contradictions(model, listed, lookup))
    .map((message) => ({
      level: 'weak',
      subject,
      message,
    }));
}

/** Returns the list of a vendor, or the reason why it cannot be read. */
async function readList({ provider, baseUrl, apiKey, fetch }: ListAccess): Promise<readonly VendorModel[] | string> {
  const list = lists[provider];
  if (list === undefined) return 'there is none';
  const url = `${(baseUrl ?? list.address).replace(/\/$/, '')}${list.path}`;
  const { startDeadline } = await import('@millrace/catalog');
  const deadline = startDeadline(timeoutMs);
  try {
    const response = await fetch(url, { headers: list.headers(apiKey), signal: deadline.signal });
    if (!response.ok) return `the server answers with the status ${response.status}`;
    const refuse = (...[what, most]: Parameters<typeof describeExceeded>) =>
      new Error(`it ${describeExceeded(what, most)}`);
    const read = list.schema.safeParse(await boundedResponse(response, { body: limits, refuse }).json());
    return read.success ? read.data : 'the answer is not a list of models';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    deadline.clear();
  }
}

function contradictions(model: LocatedModel, listed: readonly VendorModel[], lookup: ModelLookup): readonly string[] {
  const profile = lookup.profile(model);
  const names = [model.model.replace(/^models\//, ''), ...(profile.aliases ?? [])];
  const found = listed.find(({ name }) => names.some((own) => name === own || isVersionOf(name, own)));
  if (found === undefined) return [`${model.model} is not in the list of models that the key may use`];
  return (['context', 'output'] as const).flatMap((field) => {
    const [known, told] = [profile[field], found[field]];
    return known === undefined || told === undefined || known === told
      ? []
      : [`${model.model}: the vendor says ${field} ${told}, the table ${known}`];
  });
}

const isVersionOf = (name: string, model: string): boolean =>
  name.startsWith(`${model}-`) && /^-\d{4}(-?\d{2}-?\d{2})?$/.test(name.slice(model.length));
