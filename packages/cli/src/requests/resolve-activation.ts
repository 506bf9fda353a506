import type { RunHandle } from '@millrace/client';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** Activations that are named when a node has several. */
const named = 8;

const activationId = /^a\d+$/;

/**
 * Returns the id of the activation that a person names by its id, or by its node if that has one activation. Throws CommandError for
 * a node that has none, or several.
 */
export async function resolveActivation(run: RunHandle, text: string): Promise<string> {
  if (activationId.test(text)) return text;
  const ids: string[] = [];
  for await (const { id } of run.activations({ node: text })) {
    ids.push(id);
    if (ids.length > named) break;
  }
  const [first] = ids;
  if (first !== undefined && ids.length === 1) return first;
  throw new CommandError(exitCodes.invalid, first === undefined ? unknown(run, text) : ambiguous(text, ids));
}

/** Returns the text if it is the id of an activation: archived runs have no names of nodes to look up. Throws CommandError. */
export function assertActivationId(text: string): string {
  if (activationId.test(text)) return text;
  throw new CommandError(
    exitCodes.invalid,
    `"${text}" is no activation, such as a7; with --file, nodes have no names.`,
  );
}

const unknown = (run: RunHandle, text: string): string =>
  `The run has no activation of a node "${text}". \`millrace logs ${run.id}\` shows its nodes, and \`millrace journal ${run.id}\` its activations.`;

function ambiguous(text: string, ids: readonly string[]): string {
  const list = ids.slice(0, named).join(', ');
  return `The node "${text}" has several activations: ${list}${ids.length > named ? ', …' : ''}. Name one of them.`;
}
