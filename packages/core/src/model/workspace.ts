/** A file as a run knows it: what is in it, by the sha256 of its content in hex. */
export interface FileVersion {
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970 by the clock of the host that wrote it. */
  readonly modifiedAt: number;
}

/** What became of a file; absent `file`: it was removed. Paths are from the root of the workspace, with slashes. */
export interface FileChange {
  readonly path: string;
  readonly file?: FileVersion;
}

/** The folder of a workspace with what people attached; programs and tools may read it. */
export const attachmentFolder = 'attachments';

/** A file or folder in a workspace. */
export interface WorkspaceEntry {
  /** From the root of the workspace, with slashes. */
  readonly path: string;
  readonly type: 'file' | 'folder';
  /** In bytes; 0 for folders. */
  readonly size: number;
}

/**
 * The files of one execution of a graph, shared by its nodes. Paths are relative to its root; one that leads out of it,
 * by `..` or by a link, is refused with an error that says so.
 */
export interface Workspace {
  /** Path of the root on the worker's machine; it may not be there yet. */
  readonly directory: string;
  /** What is at a path, or undefined when there is nothing. */
  find(path: string): Promise<WorkspaceEntry | undefined>;
  /** What is directly in a folder, by name. */
  list(path: string): Promise<readonly WorkspaceEntry[]>;
  read(path: string): Promise<Uint8Array>;
  /** Writes a file anew, or to its end; missing folders are made. */
  write(path: string, content: string | Uint8Array, mode: 'overwrite' | 'append'): Promise<void>;
  /**
   * Makes a file's new content from what is in it, or from undefined when there is none. Changes of one file by this
   * worker take turns, so that none is lost.
   */
  update(path: string, change: (content: Uint8Array | undefined) => string): Promise<void>;
  /** Makes a folder and those around it. */
  makeFolder(path: string): Promise<void>;
  /** Removes a file or a folder with all that is in it. */
  remove(path: string): Promise<void>;
  /** Moves a file or folder; what is at the new place is replaced. */
  move(from: string, to: string): Promise<void>;
  /** Copies a file or folder; what is at the new place is replaced. */
  copy(from: string, to: string): Promise<void>;
}
