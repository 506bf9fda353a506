import type { ConditionInput } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import {
  conditionMessageFilter,
  filterMessages,
  messageFilterFields,
  sourceNameField,
  withFilterDefaults,
} from './message-filter.ts';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of a `text_message` condition. */
export const TextMessageConfig = z
  .object({
    source: sourceNameField.optional().describe('Source of the message; any if omitted. `user` means the task.'),
    include_task: messageFilterFields.include_task,
    include_nested: messageFilterFields.include_nested,
  })
  .transform(({ source, ...fields }) => ({
    ...(source === undefined ? {} : { source }),
    ...withFilterDefaults(fields),
  }));

/** Condition that waits for plain text, which neither hands over nor requests the end. */
export const textMessageTermination = defineTermination({
  type: 'text_message',
  summary: 'Satisfied by a message of plain text.',
  config: TextMessageConfig,
  messageFilter: ({ source, ...config }) =>
    conditionMessageFilter({ ...config, ...(source === undefined ? {} : { sources: [source] }) }, true),
  observe(config, delta) {
    const found = filterMessages(config, delta).find(
      ({ kind, source }) => kind === 'text' && (config.source ?? source) === source,
    );
    return found === undefined ? undefined : `text_message: ${found.source}`;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
