import type { Message } from '@millrace/core';
import { completed, defineNode, stopMessage } from '@millrace/core';
import { z } from 'zod';

const roles = ['user', 'assistant', 'system'] as const;

/** Configuration of a `literal` node. */
export const LiteralConfig = z.object({
  content: z
    .string({ error: 'Write the text to emit, such as `content: Start the review.`' })
    .refine((text) => text.trim() !== '', { error: 'Write some text: a literal cannot be blank.' })
    .describe('The text that the node emits.'),
  role: z
    .string({ error: 'Write `user`, `assistant` or `system`.' })
    .trim()
    .toLowerCase()
    .pipe(z.enum(roles, { error: 'Write `user`, `assistant` or `system`.' }))
    .default('user')
    .describe('Role of the message: user, assistant or system. Edges keep it.'),
  message_kind: z
    .enum(['text', 'stop'], { error: 'Write `text` or `stop`.' })
    .default('text')
    .describe('stop: the message requests the end, which terminations of type stop_message look for.'),
});

/** Node type that emits a fixed text and ignores its input. */
export const literal = defineNode({
  type: 'literal',
  summary: 'Emits a fixed text, whatever its input is.',
  config: LiteralConfig,
  templates: ['content'],
  execute({ role, content, message_kind }, _input, host) {
    const message: Message = { role, content, source: host.node, keep: false, preserveRole: true };
    return completed([message_kind === 'stop' ? stopMessage(message) : message]);
  },
});
