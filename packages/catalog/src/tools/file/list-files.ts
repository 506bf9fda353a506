import type { ToolDefinition, Workspace, WorkspaceEntry } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';

const count = (fallback: number) => z.int().min(1).max(10_000).default(fallback);
const include_hidden = z.boolean().default(false).describe('Whether to list names that begin with a dot.');
const maxDepth = 8;

interface ListOptions {
  readonly recursive: boolean;
  readonly limit: number;
  readonly include_hidden: boolean;
}

interface List extends ListOptions {
  readonly path: string;
  readonly max_depth: number;
}

/** Tools that list files. */
export const listTools: readonly ToolDefinition[] = [
  defineTool<ListOptions>({
    name: 'describe_available_files',
    module: 'file',
    effect: 'read',
    workspace: true,
    description: 'List the files and folders of the workspace, attachments included.',
    parameters: z.object({
      recursive: z.boolean().default(true).describe('Whether to list what is in folders too.'),
      limit: count(200).describe('At most so many entries.'),
      include_hidden,
    }),
    async execute({ recursive, limit, include_hidden: hidden }, { workspace }) {
      const files = await walk(workspace, '.', { depth: recursive ? maxDepth : 1, limit: limit + 1, hidden });
      return { files: files.slice(0, limit), truncated: files.length > limit };
    },
  }),
  defineTool<List>({
    name: 'list_directory',
    module: 'file',
    effect: 'read',
    workspace: true,
    description: 'List a folder of the workspace with the sizes of its files.',
    parameters: z.object({
      path: z.string().default('.').describe('The folder, from the root of the workspace.'),
      recursive: z.boolean().default(false).describe('Whether to list what is in its folders too.'),
      max_depth: z.int().min(1).max(100).default(3).describe('How many levels, when recursive.'),
      include_hidden,
      limit: count(500).describe('At most so many entries.'),
    }),
    async execute({ path, recursive, max_depth, limit, include_hidden: hidden }, { workspace }) {
      const entries = await walk(workspace, path, { depth: recursive ? max_depth : 1, limit: limit + 1, hidden });
      return { directory: path, entries: entries.slice(0, limit), truncated: entries.length > limit };
    },
  }),
];

/** Options of a walk. */
interface Walk {
  /** Number of levels of folders; 1 for the folder itself. */
  readonly depth: number;
  readonly limit: number;
  /** Includes files and folders whose names begin with a dot. */
  readonly hidden: boolean;
}

/** Returns the entries of a folder and below it, each folder before its entries. */
export async function walk(workspace: Workspace, path: string, how: Walk): Promise<readonly WorkspaceEntry[]> {
  const found: WorkspaceEntry[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await workspace.list(folder)) {
      if (found.length >= how.limit) return;
      if (!how.hidden && nameOf(entry).startsWith('.')) continue;
      found.push(entry);
      if (entry.type === 'folder' && depth < how.depth) await visit(entry.path, depth + 1);
    }
  };
  await visit(path, 1);
  return found;
}

const nameOf = ({ path }: WorkspaceEntry): string => path.slice(path.lastIndexOf('/') + 1);
