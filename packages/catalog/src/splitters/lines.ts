import { defineSplitter, textOf } from '@millrace/core';
import { z } from 'zod';
import { createUnit } from './unit.ts';

/** Splitter whose units are the lines that are not blank. */
export const lines = defineSplitter({
  type: 'lines',
  summary: 'One unit for each line that is not blank.',
  config: z.object({}),
  compile: () => (messages) =>
    messages.flatMap((message) =>
      textOf(message)
        .split(/\r?\n/)
        .filter((line) => line.trim() !== '')
        .map((line) => createUnit(message, line, { split_source: 'lines' })),
    ),
});
