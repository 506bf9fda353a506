import type { ToolDefinition } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';
import { assertWritable, decoded, encoding, refuseAttachments, splitLines } from './text-file.ts';

const path = z.string().min(1).describe('The file, from the root of the workspace.');

interface SaveFile {
  readonly path: string;
  readonly content: string;
  readonly encoding: string;
  readonly mode: 'overwrite' | 'append';
}

interface Edit {
  readonly path: string;
  readonly start_line: number;
  readonly end_line?: number | null | undefined;
  readonly replacement: string;
  readonly encoding: string;
  readonly newline: 'preserve' | 'lf' | 'crlf' | 'cr';
  readonly ensure_trailing_newline?: boolean | null | undefined;
}

/** Tools that write files. */
export const writeTools: readonly ToolDefinition[] = [
  defineTool<SaveFile>({
    name: 'save_file',
    module: 'file',
    workspace: true,
    description: 'Write a text file in the workspace.',
    parameters: z.object({
      path,
      content: z.string().describe('The text.'),
      encoding: z.string().default('utf-8').describe('Always utf-8.'),
      mode: z.enum(['overwrite', 'append']).default('overwrite').describe('Whether to replace the file or add to it.'),
    }),
    async execute(args, { workspace }) {
      refuseAttachments(args.path);
      assertWritable(args.encoding);
      await workspace.write(args.path, args.content, args.mode);
      const entry = await workspace.find(args.path);
      return { path: args.path, mode: args.mode, size: entry?.size ?? 0 };
    },
  }),
  defineTool<Edit>({
    name: 'apply_text_edits',
    module: 'file',
    workspace: true,
    description: 'Replace a range of lines of a text file.',
    parameters: z.object({
      path,
      start_line: z.int().min(1).describe('The first line to replace; lines count from 1.'),
      end_line: z.int().min(0).nullish().describe('The last line to replace; start_line - 1 to insert before it.'),
      replacement: z.string().default('').describe('What takes their place; empty to delete them.'),
      encoding,
      newline: z.enum(['preserve', 'lf', 'crlf', 'cr']).default('preserve').describe('How the lines of the file end.'),
      ensure_trailing_newline: z.boolean().nullish().describe('Whether the file ends with a line end.'),
    }),
    async execute(args, { workspace }) {
      refuseAttachments(args.path);
      let total = 0;
      await workspace.update(args.path, (bytes) => {
        if (bytes === undefined) throw new Error(`there is no "${args.path}" in the workspace`);
        const after = edited(decoded(bytes, args.encoding), args);
        total = splitLines(after).length;
        return after;
      });
      return { path: args.path, total_lines: total };
    },
  }),
];

const lineEnds = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

function edited(text: string, { start_line, end_line, replacement, newline, ensure_trailing_newline }: Edit): string {
  const lines = splitLines(text);
  const end = end_line ?? start_line;
  if (start_line > lines.length + 1) throw new Error(`the file has ${lines.length} lines; start_line is ${start_line}`);
  if (end < start_line - 1) throw new Error('end_line is before start_line');
  const lineEnd = newline === 'preserve' ? endOf(text) : lineEnds[newline];
  const [before, after] = [lines.slice(0, start_line - 1), lines.slice(end)];
  const last = before.at(-1);
  // A last line without a line end would be joined with the text after it.
  if (replacement !== '' && last !== undefined && !/[\r\n]$/.test(last))
    before[before.length - 1] = `${last}${lineEnd}`;
  const middle =
    replacement !== '' && after.length > 0 && !/[\r\n]$/.test(replacement) ? `${replacement}\n` : replacement;
  const joined = [...before, middle, ...after]
    .join('')
    .replaceAll(/\r\n|\r|\n/g, (own) => (newline === 'preserve' ? own : lineEnd));
  const put = newline === 'preserve' && lineEnd !== '\n' ? withEnds(joined, lineEnd) : joined;
  return ensure_trailing_newline && put !== '' && !/[\r\n]$/.test(put) ? `${put}${lineEnd}` : put;
}

/** Returns the line end that most lines of a text have. */
function endOf(text: string): string {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const crlf = count(/\r\n/g);
  return crlf > count(/\n/g) - crlf ? '\r\n' : '\n';
}

const withEnds = (text: string, lineEnd: string): string => text.replaceAll(/\r\n|\n/g, lineEnd);
