import type { NodeDefinition, ProviderDefinition, Vocabulary } from '@millrace/core';
import { byType } from './by-type.ts';

/** Everything that workflows can name: one line per entry. */
export function createVocabulary(): Vocabulary {
  const nodes: readonly NodeDefinition[] = [];
  const providers: readonly ProviderDefinition[] = [];
  return {
    nodes: byType(nodes),
    conditions: new Map(),
    processors: new Map(),
    splitters: new Map(),
    providers: byType(providers),
  };
}
