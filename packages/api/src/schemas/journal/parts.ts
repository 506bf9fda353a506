import { z } from 'zod';

const id = (of: string, form: string) => z.string().describe(`Id of ${of}, as in ${form}.`);

/** Id of an activation in an event. */
export const activation = id('the activation', 'a7');
/** Id of a scope in an event. */
export const scope = id('the scope: one execution of a graph, a cycle or a fan-out', 's2');
/** Index of a node in its graph. */
export const nodeIndex = z.int().describe('Index of the node in its graph; -1: the count of votes.');
/** Key of a graph. */
export const graph = z
  .string()
  .describe('Key of the graph: empty for the root graph, else the path of enclosing nodes.');

/** Length of {@link text}, in characters. */
const textLength = 200;
/** The beginning of a text in an event. */
export const text = (of: string) =>
  z.string().optional().describe(`First ${textLength} characters of ${of}, and … if there are more.`);

/** Reference to a message. */
export const MessageReference = z
  .object({
    id: z.string().describe('Id of the message, whose whole text the operation `runs.message` returns.'),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    source: z.string().describe('Id of the node that sent it, or TASK.'),
    keep: z.literal(true).optional().describe('It stays in the context of its node.'),
  })
  .meta({ id: 'MessageReference' });

/** Reason of a failure. */
export const Failure = z
  .object({
    code: z.string().describe('Code of the error, with a page in the documentation.'),
    message: z.string(),
    transient: z.literal(true).optional().describe('A later attempt may succeed without any change.'),
  })
  .meta({ id: 'Failure' });

/** Reason for which a run or a scope was stopped. */
export const StopReason = z
  .object({
    code: z.string().describe('`external`, or the type of the condition that was satisfied.'),
    text: z.string(),
    leaves: z
      .array(
        z.object({
          path: z.string(),
          type: z.string(),
          id: z.string().optional(),
          text: z.string(),
          cancels: z.literal(true).optional(),
        }),
      )
      .optional()
      .describe('The conditions that were satisfied, in that order.'),
  })
  .meta({ id: 'StopReason' });

/** Treatment of work in progress. */
export const inFlight = z.enum(['drain', 'cancel']).describe('Work in progress finishes (`drain`) or is cancelled.');

/** Changes of files. */
export const fileChanges = z.array(
  z.object({
    path: z.string(),
    file: z
      .object({ digest: z.string().describe('SHA-256 of its content.'), size: z.number(), modifiedAt: z.number() })
      .optional()
      .describe('Absent: the file was removed.'),
  }),
);

/** Amount of a model call. */
export const Amount = z.object({
  tokens: z.number(),
  microUsd: z.number().describe('Millionths of a US dollar.'),
});

/** Budget of a run. */
export const Budget = z.object({
  tokens: z.number().optional(),
  microUsd: z.number().optional().describe('Millionths of a US dollar.'),
  ask: z.literal(true).optional().describe('A person is asked for a larger budget before the run is stopped.'),
});

/** Node at which an event happened. */
export const nodePlace = {
  nodeId: z.string().describe('Id of the node; empty for the count of votes.'),
  nodeType: z.string().describe('Type of the node, such as `agent`; empty for the count of votes.'),
  graph,
};

/** Activation with which something happened. */
export const activationPlace = {
  activation,
  ...nodePlace,
  unit: z.int().optional().describe('Number of the unit in its fan-out, from 0.'),
  turn: z.int().optional().describe('Iteration of the loop that the activation is part of, from 1.'),
};

/** Returns the schema of a type of events. */
export const eventSchema = <Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  description: string,
  fields: Fields,
) =>
  z
    .object({
      type: z.literal(type),
      ...fields,
      bodies: z.int().optional().describe('Number of new messages that were stored with the event.'),
    })
    .meta({ id: `${type.split('.').map(capitalized).join('')}Event`, description });

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
