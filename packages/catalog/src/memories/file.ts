import type { MemoryContext } from '@millrace/core';
import { defineMemory, encodingLabel, isEncoding, NodeError, singleLine } from '@millrace/core';
import { z } from 'zod';
import { embed, embedCached } from '../embeddings/embed.ts';
import { EmbeddingConfig, embeddingProblems, isRemoteEmbedding } from '../embeddings/embedding-config.ts';
import { nearest } from '../embeddings/vector.ts';
import { withoutHeadlines } from './headlines.ts';
import type { Chunk, FileSource } from './read-chunks.ts';
import { readChunks } from './read-chunks.ts';
import { SharedStore } from './shared-store.ts';

const Source = z.object({
  path: z
    .string({ error: 'Write the path of a file or a folder.' })
    .trim()
    .min(1, { error: 'Write the path of a file or a folder.' })
    .regex(singleLine)
    .describe('A file or folder on the machine of the worker; relative to its working directory.'),
  file_types: z
    .array(z.string({ error: 'Write suffixes such as `.md`.' }).regex(singleLine), {
      error: 'Write a list of suffixes such as `.md`.',
    })
    .nullish()
    .describe('Suffixes of the files, with the dot; all files if omitted.'),
  recursive: z.boolean({ error: 'Write `true` or `false`.' }).default(true).describe('Includes subfolders.'),
  encoding: z
    .string({ error: 'Write an encoding such as `utf-8`.' })
    .regex(singleLine)
    .refine(isEncoding, { error: 'Write an encoding such as `utf-8` or `latin1`.' })
    .default('utf-8')
    .describe('Encoding of the files.'),
});

const FileConfig = z.object({
  file_sources: z
    .array(Source.describe('A file or a folder that is searched.'), { error: 'Write a list with at least one `path`.' })
    .min(1, { error: 'Write a list with at least one `path`.' })
    .describe('Files that are searched.'),
  index_path: SharedStore,
  memory_path: SharedStore,
  embedding: EmbeddingConfig,
});

/** Maximum number of chunks that are searched one by one. */
const maxChunks = 20_000;

/** Finds passages of files. Read-only: writes of nodes are ignored. */
export const file = defineMemory({
  type: 'file',
  summary: 'Passages of files; they are read again when they change.',
  config: FileConfig,
  secrets: ['embedding.api_key'],
  check: ({ embedding }) => embeddingProblems(embedding),
  embeds: ({ embedding }) => isRemoteEmbedding(embedding),
  async recall({ file_sources: sources, embedding }, query, context) {
    const chunks = await chunksOfAll(sources.map(sourceOf), context);
    if (chunks.length === 0) return [];
    const queryText = context.compat ? query.text : withoutHeadlines(query.text);
    const texts = chunks.map(({ text }) => text);
    const { space, vectors } = await embedCached(embedding, texts, context);
    const { vectors: wanted } = await embed(embedding, [queryText], context);
    const items = chunks.map((chunk, at) => ({ chunk, space, vector: vectors[at] }));
    const similar = nearest(items, { space, vector: wanted[0] ?? new Float32Array() }, query.topK);
    const { threshold = 0 } = query;
    return similar
      .filter(({ similarity }) => threshold <= 0 || similarity >= threshold)
      .map(({ item: { chunk } }) => ({ text: chunk.text, at: context.now(), metadata: { file: chunk.file } }));
  },
});

async function chunksOfAll(
  sources: readonly FileSource[],
  { compat, readable }: Pick<MemoryContext, 'compat' | 'readable'>,
): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for (const source of sources) {
    const read = await readChunks({ ...source, path: await readable(source.path) }, maxChunks - chunks.length);
    if (read === undefined && !compat) {
      throw new NodeError(
        'MEMORY_FILES_MISSING',
        `The file memory has no file or folder at "${source.path}". Check \`file_sources\`; paths are those of the worker's machine.`,
      );
    }
    for (const chunk of read ?? []) chunks.push(chunk);
    if (chunks.length > maxChunks) {
      throw new NodeError(
        'MEMORY_FILES_TOO_MANY',
        `The files of the file memory have more than ${maxChunks} passages, which is the most that can be searched. Narrow \`path\` or \`file_types\`.`,
      );
    }
  }
  return chunks;
}

const sourceOf = ({ path, file_types: types, recursive, encoding }: z.infer<typeof Source>): FileSource => ({
  path,
  recursive,
  encoding: encodingLabel(encoding),
  ...(types ? { types } : {}),
});
