import type { TaskAnswer } from '@millrace/client';
import { parse } from 'yaml';
import { fileInvalid } from '../exit/file-refusals.ts';
import { readCompanion } from '../workflow/load-workflow.ts';

/** Prepared replies for human nodes. */
export interface Answers {
  /** Returns the reply to the next question of a node; undefined if none is left. */
  next(node: string): TaskAnswer | undefined;
}

/** Reads an answers file. Throws CommandError if it is invalid. */
export const answersOf = (file: string): Answers => parseAnswers(readCompanion(file), file);

/**
 * Parses the text of an answers file: a YAML list contains replies in the order of all questions; a mapping contains, by the
 * id of a node, a list of replies or one reply to all questions of the node. A reply is a text, or a mapping with `data`.
 */
export function parseAnswers(text: string, file: string): Answers {
  const document = parseYaml(text, file);
  if (Array.isArray(document)) return inOrder(replies(document, file));
  if (typeof document !== 'object' || document === null) throw unusable(file, 'it is neither a list nor a mapping');
  const byNode = new Map<string, Answers>();
  for (const [node, value] of Object.entries(document)) {
    byNode.set(node, Array.isArray(value) ? inOrder(replies(value, file)) : always(reply(value, file)));
  }
  return { next: (node) => byNode.get(node)?.next(node) };
}

function inOrder(list: readonly TaskAnswer[]): Answers {
  let at = 0;
  return { next: () => list[at++] };
}

const always = (answer: TaskAnswer): Answers => ({ next: () => answer });

const replies = (values: readonly unknown[], file: string): readonly TaskAnswer[] =>
  values.map((value) => reply(value, file));

function reply(value: unknown, file: string): TaskAnswer {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isMapping(value) && isMapping(value['data'])) return { data: value['data'] };
  throw unusable(file, 'a reply is neither a text nor a mapping with `data`');
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw unusable(file, error instanceof Error ? error.message : String(error));
  }
}

const unusable = (file: string, why: string) =>
  fileInvalid(
    `${file} cannot be used as answers: ${why.trim()}. Write a YAML list of replies, or a mapping from node ids to replies.`,
  );
