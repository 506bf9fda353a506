import { defineTool } from '@millrace/core';
import { z } from 'zod';

/**
 * Met when one node has said the same so many `times`. Its state is how often each node has said each text.
 * @type {import('@millrace/catalog').TerminationFunction}
 */
const repetition = {
  init: () => ({}),
  evaluate({ items }, state, { args }) {
    const said = { ...state };
    let again;
    for (const { type, source, text } of items) {
      if (type !== 'message') continue;
      const key = `${source}: ${text}`;
      said[key] = (said[key] ?? 0) + 1;
      if (said[key] >= args.times) again ??= key;
    }
    return { stop: again !== undefined, reason: `again ${again}`, state: said };
  },
};

/** Extensions that examples/poem.yaml names: give this file to the command line as MILLRACE_EXTENSIONS. */
export const extensions = {
  tools: [
    defineTool({
      name: 'approve',
      description: 'Approve what you have been shown.',
      parameters: z.object({ why: z.string() }),
      execute: async ({ why }) => `Approved: ${why}`,
    }),
  ],
  // termination: {type: function, config: {name: repetition, args: {times: 2}}}
  terminations: new Map([['repetition', repetition]]),
};
