import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { NodeError } from '@millrace/core';
import { isWithin } from '../files/confined-path.ts';
import { runProcess } from './child-process.ts';

/** Finds the interpreters of scripts. */
export interface Interpreters {
  /** The path of one: a name is looked up on PATH, a path counts from the workspace. Undefined when there is none. */
  find(written: string, workspace: string): Promise<string | undefined>;
}

type Environment = Readonly<Record<string, string>>;

/** Options of {@link createInterpreters}. */
export interface InterpreterOptions {
  /** Environment of the worker. */
  readonly env: Environment;
  /** Folder with the workspaces of all runs. */
  readonly workspaces: string;
}

/** Interpreters as the worker's own environment has them. */
export function createInterpreters({ env, workspaces }: InterpreterOptions): Interpreters {
  const behind = new Map<string, Promise<string>>();
  const folders = foldersOf(env);
  return {
    async find(written, workspace) {
      const path = await findProgram(written, { folders, workspace });
      if (path === undefined) return undefined;
      // Only the operator's programs are executed outside of the sandbox, never one that a path of the author names.
      if (!folders.includes(dirname(path))) {
        if (await isForeign(path, { workspace, workspaces })) throw unusable(written);
        return path;
      }
      if (!basename(path).startsWith('python')) return path;
      const found = behind.get(path) ?? programBehind(path, env);
      behind.set(path, found);
      return found;
    },
  };
}

/** Returns whether a file belongs to the workspace of another run, when all links on its way are followed. */
async function isForeign(path: string, { workspace, workspaces }: { workspace: string; workspaces: string }) {
  const real = (one: string) => realpath(one).catch(() => one);
  const file = await real(path);
  return isWithin(await real(workspaces), file) && !isWithin(await real(workspace), file);
}

/** Returns the folders of PATH. A relative one would depend on where the worker was started. */
export const foldersOf = (env: Environment): readonly string[] =>
  (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));

/**
 * Looks a program up as a shell does. Throws INTERPRETER_UNUSABLE when the file there is not an executable program.
 */
export async function findProgram(
  written: string,
  { folders, workspace }: { readonly folders: readonly string[]; readonly workspace: string },
): Promise<string | undefined> {
  if (written.includes('\0')) throw unusable(written);
  const candidates = written.includes('/')
    ? [resolve(workspace, written)]
    : folders.map((folder) => join(folder, written));
  let refused = false;
  for (const candidate of candidates) {
    const found = await look(candidate);
    if (found === 'program') return candidate;
    refused ||= found === 'something else';
  }
  if (!refused) return undefined;
  throw unusable(written);
}

const unusable = (written: string): NodeError =>
  new NodeError(
    'INTERPRETER_UNUSABLE',
    `The interpreter ${JSON.stringify(written)} is not a program that the worker may run.`,
  );

async function look(path: string): Promise<'program' | 'something else' | 'nothing'> {
  try {
    if (!(await stat(path)).isFile()) return 'something else';
  } catch {
    // There is no such file, or this process may not see it.
    return 'nothing';
  }
  return access(path, constants.X_OK).then(
    () => 'program',
    () => 'something else',
  );
}

const askingMs = 10_000;

/**
 * The Python that a version manager's script runs. To execute the script every time would cost many times what
 * a small program takes, and the script needs files that a sandbox does not have.
 */
async function programBehind(path: string, env: Environment): Promise<string> {
  if (!(await isScript(path))) return path;
  const command = { file: path, args: ['-c', 'import sys; print(sys.executable)'], cwd: '/', env };
  const { code, stdout } = await runProcess(command, { timeoutMs: askingMs, signal: new AbortController().signal });
  const answer = String(stdout.start).trim();
  return code === 0 && (await look(answer)) === 'program' ? answer : path;
}

async function isScript(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(2) });
    return String(buffer) === '#!';
  } finally {
    await file.close();
  }
}
