import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId, ScopeId } from '@millrace/core';
import { rootScope } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import { isNotFound } from './confined-path.ts';

/*
 * Each run has a folder with its workspaces on every worker that has executed its nodes. All files in it are in the journal of the
 * run, and what is missing is written again: after a retry, on another worker, and in a fork, which has a folder of its own. So
 * the folder of a run that has ended is only there to save time, for example to keep what a program has installed, and is
 * removed after a while. A folder that a process uses has a recent time of change, also if several processes share the directory.
 * Processes with other stores may share it, too: the folder of a run that the store does not have may be theirs, and is only removed
 * by a process that has used it for a run of its own store.
 */

/** Time after the end of a run, and after the last use of its folder, at which the folder is removed, in milliseconds. */
const keptMs = 10 * 60_000;
/** Time between two looks at all folders; those in use get a new time of change then. */
const everyMs = 2 * 60_000;
const atOnce = 8;

/** What a name of a folder begins with that is being removed; names of runs are encoded, and never begin so. */
const removed = '.removed-';

/** What the removal of folders needs to know. */
interface RunFoldersOptions {
  /** Directory with the folders of all runs. */
  readonly directory: string;
  /** Knows when runs have ended, by its own clock. */
  readonly runs: Pick<Runs, 'endOf' | 'now'>;
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
  /** Runs of the store that have used their folders in this process. */
  readonly #own = new Set<RunId>();
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

  /** Keeps the folder of a run, from when this resolves until the returned function is called. */
  async use(run: RunId): Promise<() => Promise<void>> {
    this.#used.set(run, (this.#used.get(run) ?? 0) + 1);
    this.#own.add(run);
    await this.#touch(this.#folderOf(run));
    return async () => {
      const left = (this.#used.get(run) ?? 0) - 1;
      if (left > 0) this.#used.set(run, left);
      else this.#used.delete(run);
      await this.#touch(this.#folderOf(run));
    };
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

  /** Removes the folders of runs that ended some time ago, or were removed since this process has used them. */
  async sweep(): Promise<void> {
    const found = await this.#names();
    const present = new Set(found.map(runOf));
    for (const run of this.#own) if (!present.has(run) && !this.#used.has(run)) this.#own.delete(run);
    const names = found.values();
    const next = async () => {
      for (const name of names) {
        if (this.#closing.signal.aborted) return;
        await this.#look(name);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#sweeping;
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
    if (name.startsWith(removed)) return rm(folder, { recursive: true, force: true });
    const run = runOf(name);
    if (run === undefined) return;
    if (this.#used.has(run)) return this.#touch(folder);
    if ((await this.#isIdle(folder)) && (await this.#isOver(run))) await this.#remove(folder, run);
  }

  /**
   * Removes a folder under another name. The run may have been continued since it was looked at: then the folder gets its name
   * back, unless it was made again.
   */
  async #remove(folder: string, run: RunId): Promise<void> {
    const gone = join(this.#options.directory, `${removed}${randomUUID()}`);
    try {
      await rename(folder, gone);
      if (this.#used.has(run) || !(await this.#isOver(run))) return await rename(gone, folder);
    } catch (error) {
      // Another process has removed it, or an attempt has made it again.
      if (!isNotFound(error) && !isTaken(error)) throw error;
    }
    this.#options.forget(folder);
    await rm(gone, { recursive: true, force: true });
  }

  async #isIdle(folder: string): Promise<boolean> {
    try {
      return this.#options.now() - (await stat(folder)).mtimeMs > keptMs;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #isOver(run: RunId): Promise<boolean> {
    const { runs } = this.#options;
    const end = await runs.endOf(run);
    return end.type === 'absent' ? this.#own.has(run) : end.type === 'ended' && runs.now() - end.at > keptMs;
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

/** Returns the run of a folder by its name; undefined if it is another folder. */
function runOf(name: string): RunId | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
