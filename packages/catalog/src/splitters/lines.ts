import { defineSplitter, textOf } from '@millrace/core';
import { z } from 'zod';
import { createUnit } from './unit.ts';

/** Every line with something in it is a unit. */
export const lines = defineSplitter({
  type: 'lines',
  summary: 'One unit per line that is not blank.',
  config: z.object({}),
  compile: () => (messages) =>
    messages.flatMap((message) =>
      textOf(message)
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => createUnit(message, line, { split_source: 'lines' })),
    ),
});
