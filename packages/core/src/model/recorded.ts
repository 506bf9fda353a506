import { z } from 'zod';
import type { ActivationId, MessageId, ScopeId } from './ids.ts';

/*
 * Schemas of the values that events consist of. Each type is inferred from its schema, in the file of its idea, such as
 * `Failure` in failure.ts. Only types are imported from here, and by the schemas of events: nothing else pays for them.
 */

/**
 * A value that events record: the input of its schema, which nobody changes. Fields that JSON lacks are absent, not
 * undefined. The output of the schema is what readers get, for whom ids are any text.
 */
export type Recorded<Schema extends z.ZodType> = Frozen<z.input<Schema>>;

/** A value that nobody changes. */
export type DeepReadonly<T> = T extends readonly (infer Entry)[]
  ? readonly DeepReadonly<Entry>[]
  : T extends object
    ? { readonly [Field in keyof T]: DeepReadonly<T[Field]> }
    : T;

type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Field in keyof T]: Frozen<Exclude<T[Field], undefined>> }
    : T;

/** Returns the schema of a text that has a narrower type for those who write it. */
export const textAs = <Text extends string>(schema: z.ZodString): z.ZodType<string, Text> =>
  schema as unknown as z.ZodType<string, Text>; // writers are trusted: the type is not checked

const idOf = <Id extends string>(of: string, form: string) =>
  textAs<Id>(z.string().describe(`Id of ${of}, as in ${form}.`));

/** Id of an activation in an event. */
export const activation = idOf<ActivationId>('the activation', 'a7');
/** Id of a scope in an event. */
export const scope = idOf<ScopeId>('the scope: one execution of a graph, a cycle or a fan-out', 's2');
/** Index of a node in its graph. */
export const nodeIndex = z.int().describe('Index of the node in its graph; -1: the count of votes.');

/** Reference to a stored body: an edge changes its role and source, not the body. */
export const MessageReference = z
  .object({
    id: textAs<MessageId>(z.string()).describe(
      'Id of the message, whose whole text the operation `runs.message` returns.',
    ),
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

/** A problem that did not change the outcome. */
export const Warning = z
  .object({
    code: z.string().describe('Code of the warning, with a page in the documentation.'),
    message: z.string().describe('At most 500 characters.'),
  })
  .meta({ id: 'Warning' });

/** The rule that decides about a call with an unknown outcome. */
export const UnknownRule = z.enum(['tell', 'verify', 'ask', 'repeat', 'fail']).meta({ id: 'UnknownRule' });

/** Tokens of prompts and answers, and their cost. */
export const Amount = z.object({
  tokens: z.number(),
  microUsd: z.number().describe('Millionths of a US dollar.'),
});

/** Limits of a run's spending; an absent field is not limited. */
export const Budget = z.object({
  tokens: z.number().optional(),
  microUsd: z.number().optional().describe('Millionths of a US dollar.'),
  ask: z.literal(true).optional().describe('A person is asked for a larger budget before the run is stopped.'),
});

const promptPart = (of: string) => z.number().optional().describe(`Of the prompt tokens, those ${of}.`);
const completionPart = (of: string) => z.number().optional().describe(`Of the completion tokens, those ${of}.`);

/** Tokens as providers count them. A part is absent where it is 0 or not known. */
const tokens = {
  promptTokens: z.number().describe('Tokens of the whole input.'),
  cachedTokens: promptPart('that the provider had cached'),
  cacheWriteTokens: promptPart('that the provider wrote to its cache'),
  cacheWriteLongTokens: z
    .number()
    .optional()
    .describe('Of the tokens written to the cache, those that the provider keeps for the longer time.'),
  audioPromptTokens: promptPart('of audio'),
  imagePromptTokens: promptPart('of images'),
  completionTokens: z.number().describe('Tokens of the whole output.'),
  reasoningTokens: completionPart('of reasoning'),
  audioCompletionTokens: completionPart('of audio'),
  imageCompletionTokens: completionPart('of images'),
};

const microUsd = z.number().optional().describe('Cost in millionths of a US dollar; absent when no price is known.');

const savedMicroUsd = z
  .number()
  .optional()
  .describe(
    'Millionths of a US dollar that caches of prompts have saved: negative where writing to them cost more than reading from them saved. Absent without a cache or a price.',
  );

/** Usage of a call of a model as the provider counted it, with its cost. */
export const Usage = z
  .object({
    ...tokens,
    requests: z
      .record(z.string(), z.number())
      .optional()
      .describe('Number of requests to tools that the provider ran itself, by tool, such as `web_search`.'),
    tier: z.string().optional().describe('Service tier that answered; absent: the standard one.'),
    region: z.string().optional().describe('Region that answered, where the provider prices it apart.'),
    model: z.string().optional().describe('The model that answered; absent: the one that was asked.'),
    microUsd,
    savedMicroUsd,
    rates: z
      .string()
      .optional()
      .describe(
        'Source of the prices: `graph`, `operator`, `list` with its date, `reported` by the provider, or `assumed`, which is the list price where the server may have another one.',
      ),
  })
  .meta({ id: 'CallUsage', description: 'Usage of one call of a model.' });

/** A result that a replay took from the recording of its source, with what the call had used there. */
export const RecordedResult = z
  .object({
    usage: Usage.optional().describe('Usage of the recorded call of a model; it is charged to nobody again.'),
    model: z.string().optional().describe('The model that was asked then.'),
    from: z
      .object({ activation, step: z.int() })
      .optional()
      .describe('Call of the source whose result it is; absent: the call at the same place.'),
  })
  .describe('The call was not made: a replay took its result from the recording.');

/** Number of calls of models, and their usage in all. */
export const ModelUsage = z
  .object({
    calls: z.number().describe('Calls of models.'),
    ...tokens,
    toolRequests: z
      .number()
      .optional()
      .describe('Number of requests to tools that the providers ran themselves, such as web searches.'),
    microUsd,
    savedMicroUsd,
    unpriced: z
      .number()
      .optional()
      .describe('Number of calls that are not in the cost, because the price of their model is not known.'),
  })
  .meta({ id: 'ModelUsage', description: 'Usage of calls of models.' });

/** A change of a file; absent `file`: it was removed. Paths are relative to the root of the workspace, with slashes. */
export const FileChange = z.object({
  path: z.string(),
  file: z
    .object({
      digest: z.string().describe('SHA-256 of its content.'),
      size: z.number().describe('In bytes.'),
      modifiedAt: z.number().describe('Milliseconds since 1970 by the clock of the host that wrote it.'),
    })
    .optional()
    .describe('Absent: the file was removed.'),
});

/** A question of a node to a person, or its wait for a signal. */
export const Wait = z.object({
  kind: z
    .enum(['human', 'budget', 'event', 'approval'])
    .describe(
      '`event`: no person is asked; see `event`. `approval`: a person decides on calls of tools, each of which is a `tool.asked`.',
    ),
  event: z
    .object({
      name: z.string(),
      filter: z.record(z.string(), z.array(z.string())),
      until: z.number().optional().describe('Milliseconds since 1970.'),
    })
    .optional()
    .describe('The signal that it waits for.'),
  prompt: z.string().describe('The question; may be empty.'),
  input: z.string().describe('Input of the node, for the person to read.'),
  memory: z.string().optional().describe('Matching memories of the node as text.'),
  // As text, because stored mappings lose the order of their fields, in which people read them.
  schema: z.string().optional().describe('JSON Schema of the answer, which is data, as JSON; absent: it is a text.'),
});

/** A call of a tool that is made only if a person approves it. */
export const AskedCall = {
  place: z.int().describe('Number of the call among the calls of the activation, from 1.'),
  question: z
    .int()
    .optional()
    .describe('Number of the question among those about a call at this place, from 2; absent: the first one.'),
  repetition: z.int().optional().describe('Number of times that the same call was made before; absent: 0.'),
  tool: z.string().describe('Name of the tool.'),
  server: z.string().optional().describe('The MCP server that has the tool; absent: a function of the installation.'),
  arguments: z.string().describe('The exact arguments, as JSON with its fields in the order of their names.'),
  parameters: z.string().describe('JSON Schema of the arguments, as JSON.'),
  rule: z.string().describe('The rule of the policy that asks, in words.'),
  hash: z.string().describe('SHA-256 over the run, the activation, the place, the server, the tool and the arguments.'),
  until: z.number().optional().describe('Milliseconds since 1970 when it counts as rejected; absent: never.'),
};

/** The decision on a call that a person was asked about. */
export const CallDecision = {
  place: AskedCall.place,
  question: AskedCall.question,
  decision: z
    .enum(['approve', 'reject', 'expire'])
    .describe('`expire`: nobody has decided in time, which counts as rejected.'),
  hash: z.string().describe('Hash of the call that was decided on; of an approved one, with the arguments to be sent.'),
  arguments: z.string().optional().describe('Arguments in place of those of the model, as JSON; absent: those.'),
  reason: z.string().optional().describe('Reason for the model.'),
  by: z.string().optional().describe('Name of the person who decided, if it is known.'),
};

/** A change of a node's state, such as a counter's value; a value that JSON lacks is absent. */
export const StateWrite = z.object({ read: z.unknown().optional(), write: z.unknown().optional() });
