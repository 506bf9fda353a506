import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { NodeError } from '@millrace/core';
import { isWithin } from '../files/confined-path.ts';
import { runProcess } from './child-process.ts';
import { foldersOf } from './config.ts';

/** A program that executes scripts. */
export interface Interpreter {
  readonly file: string;
  /** Paths beside the system's and the workspace that it reads: itself and its libraries. */
  readonly installation: readonly string[];
}

/** Finds the interpreters of scripts. */
export interface Interpreters {
  /**
   * Finds one: a name is looked up on PATH, a path counts from the workspace. Undefined when there is none. Throws
   * INTERPRETER_UNUSABLE for what is no program, or is not this run's to execute.
   */
  find(written: string, workspace: string): Promise<Interpreter | undefined>;
}

type Environment = Readonly<Record<string, string>>;

/** Options of {@link createInterpreters}. */
export interface InterpreterOptions {
  /** Environment of the worker. */
  readonly env: Environment;
  /** Folder with the workspaces of all runs. */
  readonly workspaces: string;
}

/**
 * Interpreters as the worker's own environment has them. Programs write what they like into their workspace, links included:
 * nothing in it is executed here, and no path that leads through it decides what the sandbox shows, unless the operator's
 * PATH has the program at its end.
 */
export function createInterpreters({ env, workspaces }: InterpreterOptions): Interpreters {
  const folders = foldersOf(env);
  const behind = new Map<string, Promise<string>>();
  /** Returns the program of a path on PATH, behind the script of a version manager if there is one. */
  const programAt = async (path: string): Promise<string> => {
    if (!basename(path).startsWith('python')) return path;
    const found = behind.get(path) ?? programBehind(path, env);
    behind.set(path, found);
    found.catch(() => behind.delete(path));
    return found;
  };
  /** Returns whether PATH has a program under the name of this file that is this file. */
  const isOnPath = async (real: string): Promise<boolean> => {
    const path = await findProgram(basename(real), { folders, workspace: '/' }).catch(() => undefined);
    const program = path === undefined ? undefined : await programAt(path).catch(() => undefined);
    return program !== undefined && (await realOf(program)) === real;
  };
  /** Returns the program of a path that an author has written; undefined when it is not this run's to execute. */
  const programBy = async (path: string, workspace: string): Promise<Interpreter | undefined> => {
    const [own, all] = await Promise.all([realOf(workspace), realOf(workspaces)]);
    const [real, folder] = await Promise.all([realOf(path), realOf(dirname(path))]);
    if (isWithin(own, real)) return { file: path, installation: [] };
    if (isWithin(all, real)) return undefined;
    const isLink = isWithin(own, folder) || isWithin(all, folder);
    if (!isLink) return installed(path);
    // A virtual environment in the workspace has links to the Python that made it.
    const isKnown = isSystem(real) || (await isOnPath(real));
    return isKnown ? { file: path, installation: partsOf([real]) } : undefined;
  };
  return {
    async find(written, workspace) {
      const path = await findProgram(written, { folders, workspace });
      if (path === undefined) return undefined;
      if (folders.includes(dirname(path))) return installed(await programAt(path));
      const found = kernelFiles.test(path) ? undefined : await programBy(path, workspace);
      if (found === undefined) throw unusable(written);
      return found;
    },
  };
}

const installed = async (file: string): Promise<Interpreter> => ({
  file,
  installation: partsOf([file, await realOf(file)]),
});

/** The path without links; of a file that does not exist, the path itself. */
const realOf = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Files that mean something else to each process, such as /proc/self/cwd. */
const kernelFiles = /^\/(proc|dev|sys)\//;

const isSystem = (path: string): boolean => path.startsWith('/usr/');

/** Parts of an installation, such as a virtual environment, that an interpreter in its folder `bin` reads. */
const installationParts = ['bin', 'lib', 'lib64', 'pyvenv.cfg'];

/** Returns the paths that programs need, beside the system's. What else is in the folder of their installation stays hidden. */
function partsOf(programs: readonly string[]): readonly string[] {
  const paths = programs.flatMap((path) =>
    basename(dirname(path)) === 'bin' ? installationParts.map((part) => join(dirname(path), '..', part)) : [path],
  );
  return [...new Set(paths)].filter((path) => !isSystem(path));
}

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

/** Characters of what a script says about itself. */
const longestReason = 300;

/**
 * The Python that a version manager's script runs. To execute the script every time would cost many times what
 * a small program takes, and the script needs files that a sandbox does not have.
 */
async function programBehind(path: string, env: Environment): Promise<string> {
  if (!(await isScript(path))) return path;
  const command = { file: path, args: ['-c', 'import sys; print(sys.executable)'], cwd: '/', env };
  const asked = await runProcess(command, { timeoutMs: askingMs, signal: new AbortController().signal });
  const { code, stdout, stderr } = asked;
  const answer = String(stdout.start).trim();
  if (code !== 0) {
    const [why = 'it does not answer'] = String(stderr.start)
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    throw new NodeError(
      'INTERPRETER_UNUSABLE',
      `${path} is a script that finds no Python: ${why.slice(0, longestReason)}`,
    );
  }
  return (await look(answer)) === 'program' ? answer : path;
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
