import type { ConfigProblem } from '@millrace/core';
import { singleLine } from '@millrace/core';
import { z } from 'zod';
import { addressProblems } from '../model-calls/address.ts';

/** The source of the embeddings of a memory store. */
export const EmbeddingConfig = z
  .object(
    {
      provider: z
        .enum(['openai', 'local'], { error: 'Write `openai`, for every server that speaks its API, or `local`.' })
        .describe('openai: OpenAI, or any server with the same API (base_url). local: the built-in embedding.'),
      model: z
        .string({ error: 'Write the name of the embedding model, such as `model: text-embedding-3-small`.' })
        .trim()
        .min(1, { error: 'Write the name of the embedding model.' })
        .regex(singleLine)
        .describe('Name of the model at its provider.'),
      api_key: z
        .string({ error: 'Write a text, best a variable such as `api_key: ${API_KEY}`.' })
        .regex(singleLine)
        .nullish()
        .describe('API key; OPENAI_API_KEY of the worker if omitted.'),
      base_url: z
        .string({ error: 'Write a URL.' })
        .regex(singleLine)
        .nullish()
        .describe('URL of the API; that of OpenAI if omitted.'),
      params: z
        .looseObject({
          max_length: z
            .int({ error: 'Write a whole number.' })
            .min(1, { error: 'Write a number of at least 1.' })
            .optional()
            .describe('Longer texts are cut, or embedded in parts; 8191 characters when left out.'),
          use_chunking: z
            .boolean({ error: 'Write `true` or `false`.' })
            .optional()
            .describe('Embed long texts in parts instead of cutting them.'),
          chunk_strategy: z
            .string({ error: 'Write `average`, `weighted` or `first`.' })
            .regex(singleLine)
            .optional()
            .describe('How the parts count: average, weighted (earlier ones more), or only the first.'),
        })
        .nullish()
        .describe('How long texts are treated.'),
    },
    { error: 'Write a mapping with `provider` and `model`.' },
  )
  .nullish()
  .describe('Embedding that makes texts comparable; if omitted, a built-in embedding that compares words.');

/** The embedding in the configuration of a store. */
export type EmbeddingConfig = z.infer<typeof EmbeddingConfig>;

/** An embedding that a server computes. */
export type RemoteEmbeddingConfig = NonNullable<EmbeddingConfig> & { readonly provider: 'openai' };

/** Returns whether a server computes the embedding. */
export const isRemoteEmbedding = (config: EmbeddingConfig): config is RemoteEmbeddingConfig =>
  config?.provider === 'openai';

/** Returns the problems of the embedding of a store. */
export const embeddingProblems = (embedding: EmbeddingConfig): readonly ConfigProblem[] => [
  ...addressProblems(embedding?.base_url, ['embedding', 'base_url']),
  ...(embedding?.provider === 'local' ? [localIsBuiltIn] : []),
];

const localIsBuiltIn: ConfigProblem = {
  code: 'W_MEMORY_EMBEDDING_LOCAL',
  severity: 'warning',
  path: ['embedding', 'provider'],
  message: `No embedding model is loaded for "local"; the built-in embedding is used`,
  hint: 'Run the model behind a server with OpenAI’s API and name it with `provider: openai` and `base_url`.',
};
