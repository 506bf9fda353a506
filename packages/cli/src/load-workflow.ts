import type { Issue, Vocabulary, Workflow } from '@millrace/core';
import { CommandError, exitCodes } from './exit.ts';
import { isIssue, readSource } from './source-file.ts';
import { findSubgraphFile } from './subgraph-file.ts';

/** How a definition file is to be read. */
export interface LoadOptions {
  readonly vocabulary: Vocabulary;
  /** `run` needs every variable; `check` only warns of missing ones. */
  readonly mode: 'check' | 'run';
  readonly environment: Readonly<Record<string, string>>;
  /** Values for the workflow's variables; they win over the document's and the environment's. */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly compat?: 'chatdev';
}

/** A definition file as read: without a workflow there is at least one error among the issues. */
export interface LoadedWorkflow {
  readonly workflow?: Workflow;
  readonly issues: readonly Issue[];
}

/** Reads a workflow and the files of its subgraphs. */
export async function loadWorkflow(file: string, options: LoadOptions): Promise<LoadedWorkflow> {
  const source = readSource(file);
  if (isIssue(source)) return { issues: [source] };
  const { readWorkflow } = await import('@millrace/core');
  const unreadable: Issue[] = [];
  const read = readWorkflow(source, {
    ...options,
    readFile: (path, from) => {
      const found = findSubgraphFile(path, from);
      if (found === undefined) return undefined;
      const inner = readSource(found);
      if (!isIssue(inner)) return inner;
      unreadable.push(inner);
      return undefined;
    },
  });
  return { ...read, issues: [...unreadable, ...read.issues] };
}

/** Reads the `scriptedLLM` document that answers for the models of a run. */
export async function loadScript(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = readCompanion(file);
  const { parse } = await import('yaml');
  const script: unknown = parseOr(parse, { text, file });
  if (typeof script === 'object' && script !== null && !Array.isArray(script)) return { ...script };
  throw new CommandError(
    exitCodes.invalid,
    `${file} is not a script: it must be a mapping with "rules" and "default".`,
  );
}

/** Reads a file that accompanies a workflow. */
export function readCompanion(file: string): string {
  const source = readSource(file);
  if (isIssue(source))
    throw new CommandError(exitCodes.invalid, `${file}: ${source.message} ${source.hint ?? ''}`.trim());
  return source.text;
}

function parseOr(parse: (text: string) => unknown, { text, file }: { text: string; file: string }): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new CommandError(
      exitCodes.invalid,
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
