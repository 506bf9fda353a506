import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { basename, delimiter, join, resolve } from 'node:path';
import { NodeError } from '@millrace/core';
import { runProcess } from './child-process.ts';

/** Finds the interpreters of scripts. */
export interface Interpreters {
  /** The path of one: a name is looked up on PATH, a path counts from the workspace. Undefined when there is none. */
  find(written: string, workspace: string): Promise<string | undefined>;
}

type Environment = Readonly<Record<string, string>>;

/** Interpreters as the worker's own environment has them. */
export function createInterpreters(env: Environment): Interpreters {
  const behind = new Map<string, Promise<string>>();
  return {
    async find(written, workspace) {
      const path = await findProgram(written, { path: env['PATH'] ?? '', workspace });
      if (path === undefined || !basename(path).startsWith('python')) return path;
      const found = behind.get(path) ?? programBehind(path, env);
      behind.set(path, found);
      return found;
    },
  };
}

/** Looks a program up as a shell does. Throws when the file there is not an executable program. */
export async function findProgram(
  written: string,
  { path, workspace }: { readonly path: string; readonly workspace: string },
): Promise<string | undefined> {
  const candidates = written.includes('/')
    ? [resolve(workspace, written)]
    : path.split(delimiter).map((directory) => join(directory, written));
  let refused = false;
  for (const candidate of candidates) {
    const found = await look(candidate);
    if (found === 'program') return candidate;
    refused ||= found === 'something else';
  }
  if (!refused) return undefined;
  throw new NodeError('INTERPRETER_UNUSABLE', `The interpreter ${written} is not a program that the worker may run.`);
}

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
