import type { ConditionMessageFilter, DeltaItem, TerminationDelta } from '@millrace/core';
import { singleLine, taskSource } from '@millrace/core';
import { z } from 'zod';

const flag = z.boolean({ error: 'Write `true` or `false`.' });

/** Name of a source as authors write it; `TASK` means the same as `user`. */
export const sourceNameField = z
  .string({ error: 'Write the id of a node, or `user`.' })
  .min(1, { error: 'Write the id of a node, or `user`.' })
  .regex(singleLine)
  .transform((name) => (name === 'TASK' ? taskSource : name));

/** The field `sources`: a list that is not empty. */
export const sourcesField = z
  .array(sourceNameField, { error: 'Write a list of node ids; `user` stands for the task.' })
  .min(1, { error: 'Name at least one node, or leave `sources` out.' });

/** Fields that select the messages of a condition. */
export const messageFilterFields = {
  sources: sourcesField.optional().describe('Nodes whose messages count; `user` means the task.'),
  include_task: flag.optional().describe('The task counts; it does if omitted.'),
  include_nested: flag.optional().describe('Messages inside the graphs that nodes run count; they do not if omitted.'),
};

/** Returns the field that includes events. */
export const eventsField = (described: string) => flag.optional().describe(described);

interface MessageFilter {
  readonly sources?: readonly string[];
  readonly include_task?: boolean;
  readonly include_nested: boolean;
  readonly include_events?: boolean;
}

/** Returns the fields with their defaults; `include_task` stays open while the author has not set it. */
export const withFilterDefaults = (fields: {
  readonly sources?: readonly string[] | undefined;
  readonly include_task?: boolean | undefined;
  readonly include_nested?: boolean | undefined;
}) => ({
  ...(fields.sources === undefined ? {} : { sources: fields.sources }),
  ...(fields.include_task === undefined ? {} : { include_task: fields.include_task }),
  include_nested: fields.include_nested ?? false,
});

/**
 * Returns the items of a delta that a condition observes. An item that was counted inside a graph is not counted again
 * when its node returns it.
 */
export function filterItems(filter: MessageFilter, delta: TerminationDelta): readonly DeltaItem[] {
  if (delta.nested && !filter.include_nested) return [];
  if (delta.task && filter.include_task === false) return [];
  return delta.items.filter((item) => {
    if (filter.sources !== undefined && !filter.sources.includes(item.source)) return false;
    return item.type === 'event' ? filter.include_events === true : !(filter.include_nested && item.returned);
  });
}

/** Returns the messages of a delta that a condition observes. */
export const filterMessages = (filter: MessageFilter, delta: TerminationDelta) =>
  filterItems({ ...filter, include_events: false }, delta).flatMap((item) => (item.type === 'message' ? [item] : []));

/** Returns the properties of the filter that checks need. */
export const conditionMessageFilter = (
  filter: { readonly sources?: readonly string[]; readonly include_task?: boolean; readonly include_nested?: boolean },
  byTask = false,
): ConditionMessageFilter => ({
  ...(filter.sources === undefined ? {} : { sources: filter.sources }),
  nested: filter.include_nested === true,
  task: byTask && filter.include_task === undefined && (filter.sources?.includes(taskSource) ?? true),
});
