import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ConfigProblem, NodeDefinition, Vocabulary } from '@millrace/core';

type Environment = Readonly<Record<string, string>>;

/**
 * Returns a vocabulary that warns of `python` nodes whose interpreter is not on this machine. It is for commands that a person calls: a
 * server would tell others which files it has.
 */
export function withInterpreters(vocabulary: Vocabulary, environment: Environment): Vocabulary {
  const nodes = [...vocabulary.nodes].map(
    ([name, definition]) =>
      [name, definition.type === 'python' ? checked(definition, environment) : definition] as const,
  );
  return { ...vocabulary, nodes: new Map(nodes) };
}

const checked = (definition: NodeDefinition, environment: Environment): NodeDefinition => ({
  ...definition,
  // The schema of the node has read the configuration.
  check: (config) => [
    ...(definition.check?.(config) ?? []),
    ...problemsOf((config as { readonly interpreter?: string | null }).interpreter ?? 'python3', environment),
  ],
});

function problemsOf(interpreter: string, environment: Environment): readonly ConfigProblem[] {
  if (isThere(interpreter, environment)) return [];
  return [
    {
      code: 'W_INTERPRETER_MISSING',
      severity: 'warning',
      path: ['interpreter'],
      message: `There is no program ${JSON.stringify(interpreter)} on this machine`,
      hint: 'Write a name on the PATH of the worker, such as python3, or leave `interpreter` out. Each run of the node fails without it.',
    },
  ];
}

/** Returns whether a program is on this machine; true for a path in the workspace of a run. */
function isThere(written: string, { PATH = '' }: Environment): boolean {
  if (isAbsolute(written)) return isExecutable(written);
  const isOfWindows = /^[A-Za-z]:[\\/]/.test(written);
  if (written.includes('/') && !isOfWindows) return true;
  return PATH.split(delimiter).some((folder) => isExecutable(join(folder, written)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
