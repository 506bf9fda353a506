import {
  completed,
  defineNode,
  mergeVariables,
  NodeError,
  singleLine,
  textMessage,
  withVariables,
} from '@millrace/core';
import { z } from 'zod';
import { namesOf, rendererFor, Template, templateFieldProblems } from '../../templates/template-field.ts';

/** Configuration of a `memory_write` node. */
export const MemoryWriteConfig = z.object({
  store: z
    .string({ error: 'Write the name of a memory file under graph.memory.' })
    .min(1, { error: 'Write the name of a memory file under graph.memory.' })
    .regex(singleLine)
    .describe('Name of the memory file under graph.memory.'),
  value: Template.default('{{ text }}').describe(
    'Template of the text: it knows text, data, source and all variables.',
  ),
  mode: z
    .enum(['overwrite', 'append'], { error: 'Write `overwrite` or `append`.' })
    .nullish()
    .describe("Replaces the text or adds to it; the memory file's own mode if omitted."),
  on_empty: z
    .enum(['skip', 'placeholder', 'fail'], { error: 'Write `skip`, `placeholder` or `fail`.' })
    .default('skip')
    .describe('Action for a blank value: write nothing, write `(empty)`, or fail.'),
});

/** Node type that writes to a memory file, exactly once with the commit of its settlement, and forwards its input. */
export const memoryWrite = defineNode({
  type: 'memory_write',
  summary: 'Writes to a memory file and forwards its input.',
  config: MemoryWriteConfig,
  traits: { forwards: true },
  memoryFiles: ({ store }) => [{ name: store, path: ['store'] }],
  check: ({ value }) => templateFieldProblems(value, ['value']),
  async execute({ store, value, mode, on_empty: onEmpty }, input, host) {
    const text = await rendererFor(host).text(value, namesOf(input));
    const isBlank = text.trim() === '';
    if (isBlank && onEmpty === 'fail')
      throw new NodeError('MEMORY_VALUE_EMPTY', `The value for the memory file "${store}" is blank.`);
    if (!isBlank || onEmpty === 'placeholder') {
      await host.memoryFiles.write(store, isBlank ? '(empty)' : text, mode ?? undefined);
    }
    const last = input.at(-1) ?? textMessage('user', '', host.node);
    return completed([withVariables(last, mergeVariables(input))]);
  },
});
