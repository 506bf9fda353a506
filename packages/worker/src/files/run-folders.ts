import { randomUUID } from 'node:crypto';
import { readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId, ScopeId } from '@millrace/core';
import { rootScope } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import { makeDirectory, pathUnwritable } from '@millrace/runtime';
import { isNotFound } from './confined-path.ts';
import { removeTree } from './remove-tree.ts';

/*
 * Each run has a folder with its workspaces on every worker that has executed its nodes. All files in it are in the journal of the
 * run, and what is missing is written again: after a retry, on another worker, and in a fork, which has a folder of its own. So
 * the folder of a run that has ended is only there to save time, for example to keep what a program has installed, and is
 * removed after a while. A folder that a process uses has a recent time of change, also if several processes share the directory.
 * Processes with other stores may share it, too: a folder names the installations that have used it, and that of a run which the store
 * does not have is removed only if no other installation has used it. One in memory ends with its process, so its folders are removed
 * by others when it has not renewed them for a day.
 */

/** Time after the end of a run, and after the last use of its folder, at which the folder is removed, in milliseconds. */
const keptMs = 10 * 60_000;
/** Time between two looks at all folders; those in use get a new time of change then. */
const everyMs = 2 * 60_000;
/** Time after which the folders of an installation in memory are taken for left behind, in milliseconds. */
const memoryKeptMs = 24 * 60 * 60_000;
const atOnce = 8;

/** What a name of a folder begins with that is being removed; names of runs are encoded, and never begin so. */
const removed = '.removed-';

/** What the names of files in a folder begin with that name its installations; the workspaces are beside them. */
const installationMark = '.installation-';
const memoryMark = `${installationMark}memory-`;

/** What the removal of folders needs to know. */
interface RunFoldersOptions {
  /** Directory with the folders of all runs. */
  readonly directory: string;
  /** Knows when runs have ended, by its own clock. */
  readonly runs: Pick<Runs, 'endOf' | 'now' | 'installation'>;
  /** Clock of the files, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with a folder that was removed. */
  readonly forget: (folder: string) => void;
  readonly report: (error: unknown) => void;
}

/** The folders with the workspaces of runs on this machine. */
export class RunFolders {
  readonly #options: Required<RunFoldersOptions>;
  /** Number of uses by their runs. */
  readonly #used = new Map<RunId, number>();
  #id: string | undefined;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: RunFoldersOptions) {
    this.#options = { now: Date.now, ...options };
  }

  /** Returns the directory of the workspace of one execution of a graph. */
  workspaceOf(run: RunId, frame: ScopeId): string {
    return join(this.#folderOf(run), ...(frame === rootScope ? [] : [frame]), 'code_workspace');
  }

  /** Makes the folder of a run, and keeps it from when this resolves until the returned function is called. */
  async use(run: RunId): Promise<() => Promise<void>> {
    const folder = this.#folderOf(run);
    this.#used.set(run, (this.#used.get(run) ?? 0) + 1);
    const release = async () => {
      const left = (this.#used.get(run) ?? 0) - 1;
      if (left > 0) this.#used.set(run, left);
      else this.#used.delete(run);
      await this.#touch(folder);
    };
    try {
      await this.#make(folder);
      await this.#touch(folder);
    } catch (error) {
      await release();
      throw error;
    }
    return release;
  }

  /** Removes folders now and from time to time. */
  start(): void {
    this.#sweeping = this.sweep().catch(this.#options.report);
    this.#timer = setTimeout(
      () => void this.#sweeping.then(() => this.#closing.signal.aborted || this.start()),
      everyMs,
    );
    this.#timer.unref();
  }

  /** Removes the folders of runs that ended some time ago, or that the installation no longer has. */
  async sweep(): Promise<void> {
    const names = (await this.#names()).values();
    const next = async () => {
      for (const name of names) {
        if (this.#closing.signal.aborted) return;
        // One that cannot be removed must not keep the others.
        await this.#look(name).catch(this.#options.report);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  async #make(folder: string): Promise<void> {
    await makeDirectory(folder).catch(pathUnwritable(folder));
    await writeFile(join(folder, await this.#mark()), '');
  }

  /** Returns the name of the file that names the own installation. */
  async #mark(): Promise<string> {
    const { id, isDurable } = this.#options.runs.installation;
    this.#id ??= await id();
    return `${isDurable ? installationMark : memoryMark}${this.#id}`;
  }

  #folderOf(run: RunId): string {
    return join(this.#options.directory, encodeURIComponent(run).replaceAll('.', '%2E'));
  }

  async #names(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.#options.directory, { withFileTypes: true });
      return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #look(name: string): Promise<void> {
    const folder = join(this.#options.directory, name);
    // A process died while it removed this one.
    if (name.startsWith(removed)) return removeTree(folder);
    const run = runOf(name);
    if (run === undefined) return;
    if (this.#used.has(run)) return this.#touch(folder);
    if ((await this.#idleMs(folder)) > keptMs && (await this.#isOver(run, folder))) await this.#remove(folder, run);
  }

  /**
   * Removes a folder under another name. The run may have been continued since it was looked at: then the folder gets its name
   * back, unless it was made again.
   */
  async #remove(folder: string, run: RunId): Promise<void> {
    const gone = join(this.#options.directory, `${removed}${randomUUID()}`);
    try {
      await rename(folder, gone);
      if (this.#used.has(run) || !(await this.#isOver(run, gone))) return await rename(gone, folder);
    } catch (error) {
      // Another process has removed it, or an attempt has made it again.
      if (!isNotFound(error) && !isTaken(error)) throw error;
    }
    this.#options.forget(folder);
    await removeTree(gone);
  }

  /** Returns the time since the last use of a folder; 0 if it does not exist. */
  async #idleMs(folder: string): Promise<number> {
    try {
      return this.#options.now() - (await stat(folder)).mtimeMs;
    } catch (error) {
      if (isNotFound(error)) return 0;
      throw error;
    }
  }

  async #isOver(run: RunId, folder: string): Promise<boolean> {
    const { runs } = this.#options;
    const end = await runs.endOf(run);
    switch (end.type) {
      case 'ended':
        return runs.now() - end.at > keptMs;
      case 'absent':
        return this.#isAbandoned(folder);
      case 'live':
        // Others see by that that this process lives.
        if (!runs.installation.isDurable) await this.#touch(folder);
        return false;
    }
  }

  /** Returns whether no installation can have the run of a folder that this one does not have. */
  async #isAbandoned(folder: string): Promise<boolean> {
    const own = await this.#mark();
    const isOld = (await this.#idleMs(folder)) > memoryKeptMs;
    const marks = await marksOf(folder);
    return marks.length > 0 && marks.every((mark) => mark === own || (isOld && mark.startsWith(memoryMark)));
  }

  async #touch(folder: string): Promise<void> {
    const seconds = this.#options.now() / 1000;
    try {
      await utimes(folder, seconds, seconds);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');

async function marksOf(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.startsWith(installationMark));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Returns the run of a folder by its name; undefined if it is another folder. */
function runOf(name: string): RunId | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
