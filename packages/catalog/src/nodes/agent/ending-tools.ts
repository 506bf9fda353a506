import type { Message } from '@millrace/core';
import { handoffMessage, stopMessage } from '@millrace/core';
import type { AgentConfig } from './agent-config.ts';
import type { BoundTool } from './tooling/bound-tool.ts';

/** Returns the tools with which an agent ends its turn: handoffs and the request to stop. */
export const endingTools = ({ handoffs, signals }: AgentConfig): readonly BoundTool[] => [
  ...(handoffs ?? []).map(handoffTool),
  ...((signals ?? []).includes('stop') ? [stopTool] : []),
];

const handoffTool = (target: string): BoundTool => ({
  spec: {
    // Models may only call functions whose names have these characters.
    name: `transfer_to_${target.replace(/[^\w-]+/g, '_')}`,
    description: `Hand the conversation over to ${target}.`,
    parameters: { type: 'object', properties: {} },
  },
  name: `transfer_to_${target}`,
  origin: 'ending',
  work: {
    type: 'end',
    answer: `Transferred to ${target}.`,
    message: (said) => handoffMessage(withFallbackText(said, `Transferred to ${target}.`), target),
  },
});

const stopTool: BoundTool = {
  spec: {
    name: 'request_stop',
    description: 'End the conversation when its goal is reached.',
    parameters: {
      type: 'object',
      properties: { reason: { type: 'string', description: 'Why it can end.' } },
    },
  },
  name: 'request_stop',
  origin: 'ending',
  work: {
    type: 'end',
    answer: 'The end has been requested.',
    message(said, args) {
      const reason = args['reason'];
      return stopMessage(
        withFallbackText(said, typeof reason === 'string' && reason !== '' ? reason : 'The end was requested.'),
      );
    },
  },
};

/** Returns the model's message, with a text if the model only called a function. */
const withFallbackText = (said: Message, otherwise: string): Message =>
  said.content === '' ? { ...said, content: otherwise } : said;
