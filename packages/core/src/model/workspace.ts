import type { FileChange as FileChangeSchema, Recorded } from './recorded.ts';

/** A change of a file; absent `file`: it was removed. Paths are relative to the root of the workspace, with slashes. */
export type FileChange = Recorded<typeof FileChangeSchema>;

/** A version of a file of a run, by the sha256 hash of its content in hex. */
export type FileVersion = NonNullable<FileChange['file']>;

/** Folder of a workspace with attachments of people; programs and tools may read it. */
export const attachmentFolder = 'attachments';

/** A file or folder in a workspace. */
export interface WorkspaceEntry {
  /** Relative to the root of the workspace, with slashes. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  /** In bytes; 0 for folders. */
  readonly size: number;
}

/**
 * The files of one frame, shared by its nodes. Paths are relative to its root; a path that leads out of it, by `..` or
 * by a link, is refused with an error.
 */
export interface Workspace {
  /** Path of the root on the worker's machine; it may not exist yet. */
  readonly directory: string;
  /** Returns the entry at a path; undefined if there is none. */
  find(path: string): Promise<WorkspaceEntry | undefined>;
  /** Returns the entries of a folder, by name. */
  list(path: string): Promise<readonly WorkspaceEntry[]>;
  read(path: string): Promise<Uint8Array>;
  /** Writes or appends to a file; creates missing folders. */
  write(path: string, content: string | Uint8Array, mode: 'overwrite' | 'append'): Promise<void>;
  /**
   * Computes a file's new content from its content, which is undefined if the file does not exist. Updates of one file
   * by this worker run one after the other, so none is lost.
   */
  update(path: string, change: (content: Uint8Array | undefined) => string): Promise<void>;
  /** Creates a folder and its parents. */
  makeFolder(path: string): Promise<void>;
  /** Removes a file, or a folder with everything in it. */
  remove(path: string): Promise<void>;
  /** Moves a file or folder; replaces what is at the target. */
  move(from: string, to: string): Promise<void>;
  /** Copies a file or folder; replaces what is at the target. */
  copy(from: string, to: string): Promise<void>;
}
