import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workspace } from '@millrace/core';
import { openWorkspace } from '@millrace/worker';

/** A workspace in a directory of its own. */
export interface TemporaryWorkspace {
  readonly directory: string;
  readonly workspace: Workspace;
  remove(): Promise<void>;
}

/** Makes a workspace with these texts in it, by path. */
export async function temporaryWorkspace(files: Readonly<Record<string, string>> = {}): Promise<TemporaryWorkspace> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-workspace-'));
  const workspace = openWorkspace(directory);
  for (const [path, text] of Object.entries(files)) await workspace.write(path, text, 'overwrite');
  return { directory, workspace, remove: () => rm(directory, { recursive: true, force: true }) };
}
