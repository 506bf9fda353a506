import { completed, defineNode, textMessage } from '@millrace/core';
import { z } from 'zod';

/** Configuration of a `passthrough` node. */
export const PassthroughConfig = z.object({
  only_last_message: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(true)
    .describe('true forwards only the newest message; false forwards all of them, oldest first.'),
});

/** Node type that forwards its input: the same message objects, so that their bodies are not stored again. */
export const passthrough = defineNode({
  type: 'passthrough',
  summary: 'Forwards its input unchanged.',
  config: PassthroughConfig,
  traits: { passesData: true },
  execute(config, input, host) {
    const last = input.at(-1);
    if (last === undefined) return completed([textMessage('user', '', host.node)]);
    return completed(config.only_last_message ? [last] : input);
  },
});
