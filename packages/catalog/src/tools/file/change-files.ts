import type { ToolDefinition, Workspace, WorkspaceToolContext } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';
import { refuseAttachments } from './text-file.ts';

const inWorkspace = (what: string) => z.string().min(1).describe(`${what}, from the root of the workspace.`);

interface Relocation {
  readonly src: string;
  readonly dst: string;
  readonly overwrite: boolean;
}

interface CreateFolder {
  readonly path: string;
  readonly parents: boolean;
  readonly exist_ok: boolean;
}

interface DeletePath {
  readonly path: string;
  readonly recursive: boolean;
  readonly missing_ok: boolean;
}

/** Tools that create, delete, move and copy files. */
export const changeTools: readonly ToolDefinition[] = [
  defineTool<CreateFolder>({
    name: 'create_folder',
    module: 'file',
    workspace: true,
    description: 'Create a folder in the workspace.',
    parameters: z.object({
      path: inWorkspace('The folder'),
      parents: z.boolean().default(true).describe('Whether to create missing folders around it.'),
      exist_ok: z.boolean().default(true).describe('Whether it may be there already.'),
    }),
    async execute({ path, parents, exist_ok }, { workspace }) {
      refuseAttachments(path);
      const there = await workspace.find(path);
      if (there !== undefined && !(exist_ok && there.type === 'folder')) throw new Error(`"${path}" is there already`);
      if (!parents) await assertFolder(workspace, parentOf(path));
      await workspace.makeFolder(path);
      return { path, created: there === undefined };
    },
  }),
  defineTool<DeletePath>({
    name: 'delete_path',
    module: 'file',
    workspace: true,
    description: 'Delete a file or a folder of the workspace.',
    parameters: z.object({
      path: inWorkspace('The file or folder'),
      recursive: z.boolean().default(false).describe('Whether a folder may be deleted with what is in it.'),
      missing_ok: z.boolean().default(false).describe('Whether it may be missing.'),
    }),
    async execute({ path, recursive, missing_ok }, { workspace }) {
      refuseAttachments(path);
      const entry = await workspace.find(path);
      if (entry === undefined && missing_ok) return { path, deleted: false };
      if (entry?.type === 'folder' && !recursive && (await workspace.list(path)).length > 0) {
        throw new Error(`the folder "${path}" is not empty; set recursive to delete it with what is in it`);
      }
      await workspace.remove(path);
      return { path, deleted: true };
    },
  }),
  relocation('rename_path', 'Rename a file or folder of the workspace.', 'move'),
  relocation('move_path', 'Move a file or folder of the workspace.', 'move'),
  relocation('copy_path', 'Copy a file or folder of the workspace.', 'copy'),
];

function relocation(name: string, description: string, kind: 'move' | 'copy') {
  return defineTool<Relocation>({
    name,
    module: 'file',
    workspace: true,
    description,
    parameters: z.object({
      src: inWorkspace('What is there'),
      dst: inWorkspace('Where it goes'),
      overwrite: z.boolean().default(false).describe('Whether what is there may be replaced.'),
    }),
    execute: (args, context) => relocate(kind, args, context),
  });
}

async function relocate(
  kind: 'move' | 'copy',
  { src, dst, overwrite }: Relocation,
  { workspace }: WorkspaceToolContext,
) {
  refuseAttachments(dst, ...(kind === 'move' ? [src] : []));
  if ((await workspace.find(dst)) !== undefined && !overwrite) {
    throw new Error(`"${dst}" is there already; set overwrite to replace it`);
  }
  if (`${dst}/`.startsWith(`${src}/`)) throw new Error(`"${dst}" is inside "${src}"`);
  await workspace[kind](src, dst);
  return { src, dst };
}

async function assertFolder(workspace: Workspace, path: string): Promise<void> {
  if ((await workspace.find(path))?.type !== 'folder') throw new Error(`there is no folder "${path}"`);
}

const parentOf = (path: string): string =>
  path
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .slice(0, -1)
    .join('/') || '.';
