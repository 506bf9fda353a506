import type { Block, Message } from '@millrace/core';
import { completed, defineNode, NodeError } from '@millrace/core';
import { z } from 'zod';
import { flatten } from './flatten.ts';
import { Memories } from './memory-attachment.ts';

/** Configuration of a `human` node. */
export const HumanConfig = z.object({
  description: z
    .string({ error: 'Write what the person is asked to do.' })
    .nullish()
    .describe('What the person is asked to do.'),
  memories: Memories,
});

/** Waits for a person. The answer's text is what the conditions of its edges see. */
export const human = defineNode({
  type: 'human',
  summary: 'Shows its input to a person and waits for an answer.',
  config: HumanConfig,
  traits: { waits: true },
  execute(config, input, host) {
    if (config.memories?.length) {
      throw new NodeError(
        'E_AGENT_FEATURE_MISSING',
        `Human node "${host.node}" has memories, which this version of Millrace cannot use yet. Remove \`memories\` from its configuration.`,
      );
    }
    if (host.answer === undefined) {
      return { type: 'suspended', wait: { kind: 'human', prompt: config.description ?? '', input: flatten(input) } };
    }
    return completed([answered(host.answer, host.node)]);
  },
});

// Answers are always blocks, so that an empty one reads as "[text block]" further on, as in the original engine.
function answered({ content, metadata }: Message, source: string): Message {
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const message: Message = { role: 'user', content: blocks, source, keep: false };
  return metadata === undefined ? message : { ...message, metadata };
}
