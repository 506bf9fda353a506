import type { Workspace, WorkspaceEntry } from '@millrace/core';

/** Options of a walk. */
export interface Walk {
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
