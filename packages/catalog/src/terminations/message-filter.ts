import type { ConditionMessageFilter, DeltaItem, TerminationDelta } from '@millrace/core';
import { taskSource } from '@millrace/core';
import { z } from 'zod';

const flag = z.boolean({ error: 'Write `true` or `false`.' });

/** Names of sources as authors write them; `TASK` is another word for `user`. */
export const sourceNameField = z
  .string({ error: 'Write the id of a node, or `user`.' })
  .min(1, { error: 'Write the id of a node, or `user`.' })
  .transform((name) => (name === 'TASK' ? taskSource : name));

/** The field `sources`: a list that is not empty. */
export const sourcesField = z
  .array(sourceNameField, { error: 'Write a list of node ids; `user` stands for the task.' })
  .min(1, { error: 'Name at least one node, or leave `sources` out.' });

/** Fields of a condition that say what it looks at. */
export const messageFilterFields = {
  sources: sourcesField.optional().describe('Only what these nodes say counts; `user` stands for the task.'),
  include_task: flag.optional().describe('Whether the task counts; it does when left out.'),
  include_nested: flag.optional().describe('Whether it looks into the graphs that nodes run; it does not otherwise.'),
};

/** The field that says whether events count. */
export const eventsField = (described: string) => flag.optional().describe(described);

interface MessageFilter {
  readonly sources?: readonly string[];
  readonly include_task?: boolean;
  readonly include_nested: boolean;
  readonly include_events?: boolean;
}

/** The fields with their defaults filled in; whether the task counts is left open while the author has not said it. */
export const withFilterDefaults = (fields: {
  readonly sources?: readonly string[] | undefined;
  readonly include_task?: boolean | undefined;
  readonly include_nested?: boolean | undefined;
}) => ({
  ...(fields.sources === undefined ? {} : { sources: fields.sources }),
  ...(fields.include_task === undefined ? {} : { include_task: fields.include_task }),
  include_nested: fields.include_nested ?? false,
});

/** The items of a delta that a condition sees. What was seen inside a graph is not seen again when its node gives it on. */
export function filterItems(filter: MessageFilter, delta: TerminationDelta): readonly DeltaItem[] {
  if (delta.nested && !filter.include_nested) return [];
  if (delta.task && filter.include_task === false) return [];
  return delta.items.filter((item) => {
    if (filter.sources !== undefined && !filter.sources.includes(item.source)) return false;
    return item.type === 'event' ? filter.include_events === true : !(filter.include_nested && item.returned);
  });
}

/** The messages among them. */
export const filterMessages = (filter: MessageFilter, delta: TerminationDelta) =>
  filterItems({ ...filter, include_events: false }, delta).flatMap((item) => (item.type === 'message' ? [item] : []));

/** What checks need to know of it. */
export const conditionMessageFilter = (
  filter: { readonly sources?: readonly string[]; readonly include_task?: boolean; readonly include_nested?: boolean },
  byTask = false,
): ConditionMessageFilter => ({
  ...(filter.sources === undefined ? {} : { sources: filter.sources }),
  nested: filter.include_nested === true,
  task: byTask && filter.include_task === undefined && (filter.sources?.includes(taskSource) ?? true),
});
