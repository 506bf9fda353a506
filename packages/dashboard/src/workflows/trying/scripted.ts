import { isMap, isScalar, visit } from 'yaml';
import type { CommandLine } from '../../kit/commands/command-line.ts';
import type { InputOf } from '../../kit/commands/copy-of.ts';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { parsePlain, writePlain } from '../text/plain-document.ts';

/** Fields of an agent that belong to a real model. */
const ofRealModels = ['base_url', 'api_key', 'headers', 'params'] as const;

/**
 * Returns a text whose models are all scripted: they reply with a text, or repeat their input, and have no prices.
 * Embeddings compare words without a server.
 */
export function withScriptedModels(text: string, reply: string): string {
  const document = parsePlain(text);
  visit(document, {
    Map(_key, node, ancestors) {
      if (node.has('nodes')) node.delete('prices');
      if (!node.has('provider')) return;
      const owner = ancestors.at(-1);
      const isEmbedding =
        owner !== undefined && 'key' in owner && isScalar(owner.key) && owner.key.value === 'embedding';
      for (const field of isEmbedding ? [...ofRealModels, 'model'] : ofRealModels) node.delete(field);
      node.set('provider', isEmbedding ? 'local' : 'scripted');
      if (!isEmbedding && reply !== '') node.set('params', document.createNode({ default: reply }));
    },
  });
  return writePlain(document);
}

/** Tests if a text names a model that is not scripted. */
export function asksRealModels(text: string): boolean {
  let isFound = false;
  visit(parsePlain(text), {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || key.value !== 'provider' || isMap(value)) return;
      if (isScalar(value) && value.value !== 'scripted' && value.value !== 'local') isFound = true;
      return isFound ? visit.BREAK : undefined;
    },
  });
  return isFound;
}

/** Returns the command that executes a workflow in the memory of one process, without Redis. */
export function localRun(input: InputOf<'runs.start'>): CommandLine {
  const { commands, ...copied } = copyOf('runs.start', input);
  return { ...copied, commands: commands.map(([verb = '', ...args]) => [verb, '--local', ...args]) };
}
