import type { NodeDefinition, ProviderDefinition, Vocabulary } from '@millrace/core';
import { byType } from './by-type.ts';
import { agent } from './nodes/agent.ts';
import { human } from './nodes/human.ts';
import { literal } from './nodes/literal.ts';
import { loopCounter } from './nodes/loop-counter.ts';
import { loopTimer } from './nodes/loop-timer.ts';
import { passthrough } from './nodes/passthrough.ts';
import { subgraph } from './nodes/subgraph.ts';
import { openai } from './providers/openai.ts';
import { scripted } from './providers/scripted.ts';

export type { FailedCall } from './providers/retry.ts';
export { retryDelay } from './providers/retry.ts';

/** Everything that workflows can name: one line per entry. */
export function createVocabulary(): Vocabulary {
  const nodes: readonly NodeDefinition[] = [agent, human, literal, loopCounter, loopTimer, passthrough, subgraph];
  const providers: readonly ProviderDefinition[] = [openai, scripted];
  return {
    nodes: byType(nodes),
    conditions: new Map(),
    processors: new Map(),
    splitters: new Map(),
    providers: byType(providers),
  };
}
