import { readFile, stat } from 'node:fs/promises';
import type { MemoryContext, MemoryFile, StoredMemory } from '@millrace/core';
import { defineMemory, NodeError, singleLine } from '@millrace/core';
import { z } from 'zod';
import { pythonSignatures } from './python-signatures.ts';
import { storedOutput } from './stored-output.ts';

const path = z
  .string({ error: 'Write a path such as `path: memory/plan.txt`.' })
  .min(1, { error: 'Write a path such as `path: memory/plan.txt`.' })
  .regex(singleLine)
  .refine((written) => normalizePath(written) !== undefined, {
    error: 'Write a relative path below the workspace, without `..`.',
  });

/** Configuration of a `memory_file` store. */
export const MemoryFileConfig = z.object({
  path: path.describe(
    'Name of the text: stores with the same path are one. A file is written there only with `mirror`.',
  ),
  mode: z
    .enum(['overwrite', 'append'], { error: 'Write `overwrite` or `append`.' })
    .default('overwrite')
    .describe('Effect of a write: it replaces the text or adds to it.'),
  initial: z
    .union(
      [
        z.string(),
        z.object({ file: z.string().min(1).regex(singleLine).describe('A file on the machine of the worker.') }),
      ],
      {
        error: 'Write a text, or `file:` with the path of a file.',
      },
    )
    .default('')
    .describe('Text before the first write: a text, or `file` with the path of one.'),
  view: z
    .enum(['full', 'tail', 'signatures'], { error: 'Write `full`, `tail` or `signatures`.' })
    .default('full')
    .describe(
      'Part of the text in prompts: from its beginning, its newest entries, or the functions of its Python code.',
    ),
  max_chars: z
    .int({ error: 'Write a whole number, such as `max_chars: 8000`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(20_000)
    .describe('Maximum number of its characters in prompts.'),
  lifetime: z
    .enum(['run', 'call', 'permanent'], { error: 'Write `run`, `call` or `permanent`.' })
    .default('run')
    .describe('Lifetime: one run, one call of its graph, or permanent for all runs.'),
  mirror: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(false)
    .describe('Keeps a file in the workspace with the same text, for programs to use.'),
});
type Config = z.infer<typeof MemoryFileConfig>;

/** Number of writes that are kept of a file that is appended to. */
const maxEntries = 1000;

/** Memory store of one text under a path, such as a plan, a log or a library of code. */
export const memoryFile = defineMemory({
  type: 'memory_file',
  summary: 'One text under a path that is replaced or added to: a plan, a log, a library.',
  config: MemoryFileConfig,
  limit: ({ mode }) => (mode === 'append' ? maxEntries : 1),
  place: (config) => `memory_file:${normalizePath(config.path) ?? config.path}`,
  file: fileOf,
  async recall(config, _query, context) {
    const text = await fileOf(config).view(context);
    return text === '' ? [] : [{ text, at: context.now() }];
  },
  async remember({ mode }, experience, context) {
    const text = storedOutput(experience, context);
    return text.trim() === '' ? [] : [{ text, at: context.now(), metadata: { mode } }];
  },
});

function fileOf(config: Config): MemoryFile {
  const { mode, lifetime, mirror } = config;
  return {
    path: normalizePath(config.path) ?? config.path,
    mode,
    lifetime,
    mirror,
    limit: maxEntries,
    whole: async (context) => (await entriesOf(config, context)).join('\n'),
    view: async (context) => shown(config, await entriesOf(config, context)),
  };
}

/** Returns the writes that form the current text, oldest first; the initial text counts until it is replaced. */
async function entriesOf({ initial }: Config, context: MemoryContext): Promise<readonly string[]> {
  const items = await context.items();
  const replaced = items.findLastIndex(isReplacement);
  const texts = items.slice(Math.max(replaced, 0)).map(({ text }) => text);
  const before = replaced === -1 ? await initialText(initial, context) : '';
  return before === '' ? texts : [before, ...texts];
}

const isReplacement = ({ metadata }: StoredMemory): boolean => metadata?.['mode'] === 'overwrite';

/** Maximum size of the file with an initial text, in bytes. */
const largestFile = 1024 * 1024;

async function initialText(initial: Config['initial'], context: MemoryContext): Promise<string> {
  if (typeof initial === 'string') return initial;
  const file = await context.readable(initial.file);
  try {
    const { size } = await stat(file);
    if (size > largestFile) throw new Error(`it has ${size} bytes; at most ${largestFile} can be read`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new NodeError(
      'MEMORY_FILES_MISSING',
      `The initial text of the memory file does not exist: "${initial.file}". Check \`initial\`; paths are those of the worker's machine.`,
      { cause },
    );
  }
}

function shown({ view, max_chars: limit }: Config, entries: readonly string[]): string {
  if (view === 'tail') return tail(entries, limit);
  const text = view === 'signatures' ? pythonSignatures(entries.join('\n')) : entries.join('\n');
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  return `${characters.slice(0, limit).join('')}\n(${characters.length - limit} more characters are not shown)`;
}

/**
 * Returns the newest entries that fit, whole, with the number of those that do not; of a single entry that is too long,
 * its end.
 */
function tail(entries: readonly string[], limit: number): string {
  let left = limit;
  let from = entries.length;
  while (from > 0) {
    const length = Array.from(entries[from - 1] ?? '').length + 1;
    if (length > left + 1) break;
    left -= length;
    from--;
  }
  if (from === 0) return entries.join('\n');
  const kept = entries.slice(from);
  const omitted = kept.length > 0 ? from : from - 1;
  const texts =
    kept.length > 0
      ? kept
      : [
          Array.from(entries.at(-1) ?? '')
            .slice(-limit)
            .join(''),
        ];
  return omitted === 0 ? texts.join('\n') : [`(${omitted} earlier entries are not shown)`, ...texts].join('\n');
}

/** Returns the path without `.` and doubled slashes; undefined for a path that is absolute or leads out. */
export function normalizePath(written: string): string | undefined {
  if (/^([\\/]|[A-Za-z]:)/.test(written)) return undefined;
  const parts = written.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/');
}
