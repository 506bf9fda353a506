import type { ConfigProblem } from '@millrace/core';
import type { EmbeddingConfig } from '../embeddings/embedding-config.ts';

/** What is odd about the embedding of a store. */
export const embeddingProblems = (embedding: EmbeddingConfig): readonly ConfigProblem[] =>
  embedding?.provider === 'local'
    ? [
        {
          code: 'W_MEMORY_EMBEDDING_LOCAL',
          severity: 'warning',
          path: ['embedding', 'provider'],
          message: `No embedding model is loaded for "local"; the built-in embedding is used`,
          hint: 'Run the model behind a server with OpenAI’s API and name it with `provider: openai` and `base_url`.',
        },
      ]
    : [];
