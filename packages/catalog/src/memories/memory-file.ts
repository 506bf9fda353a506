import type { MemoryContext, MemoryFile, StoredMemory } from '@millrace/core';
import { defineMemory, NodeError, singleLine } from '@millrace/core';
import { z } from 'zod';
import { readFileUpTo } from './read-chunks.ts';
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
  sharedStore: (config) => `memory_file:${normalizePath(config.path) ?? config.path}`,
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

/** Maximum size of an initial text, in bytes. */
const maxInitialBytes = 16 * 1024 * 1024;

async function initialText(initial: Config['initial'], context: MemoryContext): Promise<string> {
  if (typeof initial === 'string') return initial;
  const file = await context.readable(initial.file);
  let bytes: Buffer | undefined;
  try {
    bytes = await readFileUpTo(file, maxInitialBytes);
  } catch (cause) {
    throw new NodeError(
      'MEMORY_FILES_MISSING',
      `The initial text of the memory file does not exist: "${initial.file}". Check \`initial\`; paths are those of the worker's machine.`,
      { cause },
    );
  }
  if (bytes !== undefined) return bytes.toString('utf8');
  throw new NodeError(
    'MEMORY_FILES_TOO_MANY',
    `The initial text of the memory file, "${initial.file}", has more than ${maxInitialBytes / 1024 / 1024} MiB. Check \`initial\`, or shorten the file.`,
  );
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

/** Text for code without functions. */
const nothing = 'There are no functions yet.';

/**
 * Returns the functions and classes at the top level of Python code: their signatures and docstrings, without their
 * bodies.
 */
function pythonSignatures(code: string): string {
  const lines = code.split('\n');
  const found = lines.flatMap((line, at) => {
    if (!/^(?:async\s+def|def|class)\s/.test(line)) return [];
    const end = endOfSignature(lines, at);
    const signature = lines.slice(at, end + 1).join('\n');
    return [[signature, ...docstring(lines.slice(end + 1))].join('\n')];
  });
  return found.length === 0 ? nothing : found.join('\n\n');
}

/** Returns the last line of a signature, which is the line that ends with a colon. */
function endOfSignature(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, at) => at >= from && /:\s*(?:#.*)?$/.test(line));
  return end === -1 ? from : end;
}

function docstring(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== '');
  const quote = /^\s+[rRuU]?("""|''')/.exec(lines[start] ?? '')?.[1];
  if (quote === undefined) return [];
  const first = lines[start] ?? '';
  if (first.indexOf(quote, first.indexOf(quote) + 3) !== -1) return [first];
  const end = lines.findIndex((line, at) => at > start && line.includes(quote));
  return lines.slice(start, end === -1 ? start + 1 : end + 1);
}
