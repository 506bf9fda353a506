import type { Extensions } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import { z } from 'zod';

/** Functions that workflows can name, beside those that are built in. */
export const extensions: Extensions = {
  // condition: is_long
  conditions: new Map([['is_long', (text) => text.length > 1000]]),
  // processor: {type: function, config: {name: first_line}}
  processors: new Map([['first_line', (text) => text.split('\n', 1)[0] ?? null]]),
  // tooling: [{type: function, config: {tools: [{name: book_flight}]}}]
  tools: [
    defineTool({
      name: 'book_flight',
      module: 'travel',
      workspace: true,
      description: 'Book a flight.',
      parameters: z.object({ from: z.string(), to: z.string() }),
      async execute({ from, to }, { key, workspace }) {
        await workspace.write('bookings.txt', `${key}: ${from} to ${to}\n`, 'append');
        return { booked: `${from} to ${to}` };
      },
    }),
  ],
};
