import { createHash } from 'node:crypto';
import { models } from './bill/models.ts';
import type { Json, Vendor } from './turn.ts';

const day = '2026-09-01T00:00:00Z';

/** Returns the list of a vendor's models in the shape of its API. */
export function modelList(vendor: Vendor): Json {
  const listed = Object.entries(models).filter(
    ([, rules]) => rules.gone === undefined && (vendor === 'compatible' || rules.vendor === vendor),
  );
  const ids = listed.map(([id]) => id);
  switch (vendor) {
    case 'anthropic':
      return {
        data: listed.map(([id, { context, output }]) => ({
          type: 'model',
          id,
          display_name: id,
          created_at: day,
          max_input_tokens: context,
          max_tokens: output,
        })),
        has_more: false,
        first_id: ids[0] ?? null,
        last_id: ids.at(-1) ?? null,
      };
    case 'gemini':
      return {
        models: listed.map(([id, { context, output }]) => ({
          name: `models/${id}`,
          displayName: id,
          inputTokenLimit: context,
          outputTokenLimit: output,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
        })),
      };
    case 'openai':
    case 'compatible':
      return {
        object: 'list',
        data: ids.map((id) => ({ id, object: 'model', created: Date.parse(day) / 1000, owned_by: 'system' })),
      };
  }
}

/** Returns the texts of a request for embeddings. */
export const textsOf = ({ input }: Json): readonly string[] => (Array.isArray(input) ? input : [input]).map(String);

/** Returns vectors for texts: the same one for the same text. */
export function embeddings(body: Json, tokensOf: (bytes: number) => number): Json {
  const texts = textsOf(body);
  const length = typeof body['dimensions'] === 'number' ? body['dimensions'] : 8;
  const tokens = texts.reduce((sum, text) => sum + tokensOf(Buffer.byteLength(text)), 0);
  return {
    object: 'list',
    data: texts.map((text, index) => {
      const vector = vectorOf(text, length);
      const embedding =
        body['encoding_format'] === 'base64'
          ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
          : vector;
      return { object: 'embedding', index, embedding };
    }),
    model: body['model'],
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function vectorOf(text: string, length: number): number[] {
  const bytes = createHash('sha512').update(text).digest();
  const raw = Array.from({ length }, (_none, at) => (bytes[at % bytes.length] ?? 0) - 127.5);
  const size = Math.hypot(...raw);
  return raw.map((one) => one / size);
}
