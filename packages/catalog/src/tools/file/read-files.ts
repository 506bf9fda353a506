import { createHash } from 'node:crypto';
import type { Block, ToolDefinition } from '@millrace/core';
import { defineTool, mimeTypeOf } from '@millrace/core';
import { z } from 'zod';
import { encoding, splitLines, textIn } from './text-file.ts';

/** Maximum number of characters in a request to a model. */
const longestText = 200_000;
const largestAttachment = 512 * 1024;

const path = z.string().min(1).describe('The file, from the root of the workspace.');

interface Snippet {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
  readonly encoding: string;
}

interface Segment {
  readonly path: string;
  readonly start_line: number;
  readonly line_count: number;
  readonly inline_line_numbers: boolean;
  readonly encoding: string;
  readonly include_line_offsets: boolean;
}

/** Tools that read files. */
export const readTools: readonly ToolDefinition[] = [
  defineTool<{ path: string }>({
    name: 'read_file',
    module: 'file',
    effect: 'read',
    workspace: true,
    description: 'Read a text file of the workspace.',
    parameters: z.object({ path }),
    async execute(args, { workspace }) {
      const text = await textIn(workspace, args.path);
      if (text.length <= longestText) return text;
      throw new Error(`"${args.path}" has ${text.length} characters; read it in parts with read_text_file_snippet`);
    },
  }),
  defineTool<{ path_or_id: string }>({
    name: 'load_file',
    module: 'file',
    effect: 'read',
    workspace: true,
    description: 'Load a file of the workspace, such as an image, so that you can see it.',
    parameters: z.object({ path_or_id: path }),
    async execute({ path_or_id }, { workspace }) {
      const bytes = await workspace.read(path_or_id);
      return [blockOf(path_or_id, bytes)];
    },
  }),
  defineTool<Snippet>({
    name: 'read_text_file_snippet',
    module: 'file',
    effect: 'read',
    workspace: true,
    description: 'Read a part of a text file, by characters.',
    parameters: z.object({
      path,
      offset: z.int().min(0).default(0).describe('How many characters to skip.'),
      limit: z.int().min(1).max(longestText).default(4000).describe('At most so many characters.'),
      encoding,
    }),
    async execute(args, { workspace }) {
      const text = await textIn(workspace, args.path, args.encoding);
      const snippet = text.slice(args.offset, args.offset + args.limit);
      return { snippet, truncated: args.offset + snippet.length < text.length, length: text.length };
    },
  }),
  defineTool<Segment>({
    name: 'read_file_segment',
    module: 'file',
    effect: 'read',
    workspace: true,
    description: 'Read a range of lines of a text file.',
    parameters: z.object({
      path,
      start_line: z.int().min(1).default(1).describe('The first line; lines count from 1.'),
      line_count: z.int().min(1).max(10_000).default(40).describe('How many lines.'),
      inline_line_numbers: z.boolean().default(false).describe('Whether each line begins with its number.'),
      encoding,
      include_line_offsets: z
        .boolean()
        .default(false)
        .describe('Whether to tell where each line begins, in characters.'),
    }),
    execute: async (args, { workspace }) => segmentOf(await textIn(workspace, args.path, args.encoding), args),
  }),
];

function segmentOf(text: string, { path: name, start_line, line_count, ...show }: Segment) {
  const lines = splitLines(text);
  const shown = lines.slice(start_line - 1, start_line - 1 + line_count);
  const numbered = shown.map((line, at) => `${start_line + at}: ${line}`);
  const before = lines.slice(0, start_line - 1).join('').length;
  const offsets = shown.map((_, at) => before + shown.slice(0, at).join('').length);
  return {
    path: name,
    content: (show.inline_line_numbers ? numbered : shown).join(''),
    start_line,
    end_line: start_line + shown.length - 1,
    total_lines: lines.length,
    ...(show.include_line_offsets ? { line_offsets: offsets } : {}),
  };
}

function blockOf(name: string, bytes: Uint8Array): Block {
  const mimeType = mimeTypeOf(name);
  if (bytes.length > largestAttachment) {
    throw new Error(`"${name}" has ${bytes.length} bytes; at most ${largestAttachment} can be loaded`);
  }
  const digest = createHash('sha256').update(bytes).digest('hex');
  const uri = `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
  const kind = mimeType.split('/')[0];
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
  return { type, attachment: { id: digest.slice(0, 32), name, mimeType, size: bytes.length, digest, uri } };
}
