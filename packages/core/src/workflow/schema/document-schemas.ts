import { z } from 'zod';
import { maxBudgetDollars } from '../../model/budget.ts';
import { queueName } from '../../model/ids.ts';
import { Prices } from '../../model/price.ts';
import { RateRules } from '../../model/rate.ts';

/**
 * A workflow as authors write it, level by level. What a level contains is read by the level below, so that one mistake
 * never hides another.
 */

/** Read by the level below, or not at all. */
const anything = z.unknown().optional();

const names = z.union([z.string(), z.array(z.string())]);

const Queue = z
  .string()
  .regex(queueName, 'A queue is called with letters, digits, _ and -, at most 50, a letter or digit at both ends');

/** The top of a file. */
export const WorkflowSchema = z.object({
  version: z.string().nullish().describe('Version of the document, in quotes. Shown, never interpreted.'),
  vars: z.record(z.string(), z.unknown()).nullish().describe('Variables that texts use as ${NAME}.'),
  graph: anything.describe('The workflow itself.'),
});

/** A graph, whether at the top, in a subgraph node or alone in a file. */
export const GraphSchema = z.object({
  id: z.string().nullish().describe('Name of the graph: letters, digits, _ and -.'),
  description: z.string().nullish().describe('What the workflow is for.'),
  log_level: z
    .enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'])
    .optional()
    .describe('Entries below it are not shown.'),
  is_majority_voting: z
    .boolean()
    .default(false)
    .describe('Run every node once on the task and take the most frequent answer; edges are ignored.'),
  max_iterations: z
    .union([z.int().min(1), z.literal('unlimited')])
    .optional()
    .describe('Rounds after which a loop that nothing else guards is cut; 100 when not given.'),
  compat: z.literal('chatdev').optional().describe('Behave as the original engine does where this one differs.'),
  queue: Queue.optional().describe('Workers that serve this queue work on it, unless a node names another one.'),
  start: names.nullish().describe('Ids of the nodes that get the task. Not needed when the graph has one source.'),
  end: names
    .nullish()
    .describe('Ids of the nodes that give the result, best first. Not needed when the graph has one sink.'),
  initial_instruction: z.string().nullish().describe('Shown to the person before asking for the task.'),
  organization: z.string().nullish().describe('A tag of the run.'),
  budget: z
    .object({
      tokens: z.int().min(0).optional().describe('Tokens of all prompts and answers together.'),
      usd: z.number().min(0).max(maxBudgetDollars).optional().describe('US dollars.'),
      on_exceeded: z
        .enum(['stop', 'ask'])
        .default('stop')
        .describe('Stop the run so that it can be resumed, or ask a person for more.'),
    })
    .nullish()
    .describe('What a run may spend on models in all, its subgraphs included.'),
  prices: Prices.nullish().describe('Prices of models by name; they win over those that come with Millrace.'),
  rate_limits: RateRules.nullish().describe('How much may be asked of models in a minute, by all workers together.'),
  nodes: anything.describe('The steps of the workflow.'),
  edges: anything.describe('Who hands over to whom.'),
  memory: anything.describe('Memory stores that agents may use.'),
  termination: anything.describe('When the graph stops before it has come to its end.'),
  scopes: anything.describe('Parts of the graph with names, which stop on their own.'),
  vars: anything.describe('Belongs at the top of the document.'),
  args: anything.describe('Describes the workflow to other programs; not used here.'),
});

/** A node without its configuration. */
export const NodeSchema = z.object({
  id: z
    .string()
    .refine((id) => id.trim() !== '', 'A node id must not be blank')
    // Outputs are told by the ids of nodes, and no JSON object of ours has this key.
    .refine((id) => id !== '__proto__', 'A node id must not be "__proto__"')
    .describe('Unique name within the graph.'),
  type: z.string().describe('The kind of node.'),
  description: z.string().nullish().describe('What the node is for.'),
  config: anything.describe('Settings of the kind of node.'),
  context_window: z
    .int()
    .default(0)
    .describe('Messages carried over to the next execution: 0 only kept ones, -1 all, N the newest N.'),
  log_output: z.boolean().default(true).describe('Whether the output is shown in the log.'),
  on_error: z
    .enum(['fail', 'text', 'continue'])
    .optional()
    .describe('A failure fails the run, becomes output text, or counts as no output.'),
  timeout: z
    .number()
    .positive()
    .max(2_000_000)
    .optional()
    .describe('Seconds that one attempt at the node may take; after that it fails.'),
  queue: Queue.optional().describe('Workers that serve this queue work on it.'),
  input: anything.describe('Messages that wait at the node before the run starts.'),
  output: anything.describe('Messages that count as produced before the run starts.'),
});

/** An edge without what it does to messages. */
export const EdgeSchema = z.object({
  from: z.string().describe('Id of the node whose messages it carries.'),
  to: z.string().describe('Id of the node that gets them.'),
  description: anything.describe('For people.'),
  trigger: z.boolean().default(true).describe('Whether a message makes the target due.'),
  condition: anything.describe('Which messages pass: true, false, the name of a function, or a type with its config.'),
  carry_data: z.boolean().default(true).describe('Whether the message itself goes along.'),
  keep_message: z.boolean().default(false).describe('Messages over this edge survive the context window.'),
  clear_context: z.boolean().default(false).describe('Drops what waits at the target, except kept messages.'),
  clear_kept_context: z.boolean().default(false).describe('With clear_context: drops kept messages as well.'),
  processor: anything.describe('Changes the message on its way.'),
  process: anything.describe('Another spelling of processor.'),
  dynamic: anything.describe('Executes the target once per item.'),
});

/** A thing of the catalogue by its type, with its settings. */
export const UseSchema = z.object({
  type: z.string().describe('Which one.'),
  config: anything.describe('Its settings.'),
});

/** The fan-out of an edge. */
export const DynamicSchema = z.object({
  type: z.enum(['map', 'tree']).describe('map: once per item. tree: reduce groups of items until one is left.'),
  split: anything.describe('How messages become items; a message is an item when not given.'),
  config: anything.describe('Limits, and how to split in short form.'),
});

/** The limits of a fan-out, and the short form of `split`. */
export const DynamicConfigSchema = z.object({
  max_parallel: z.int().min(1).default(10).describe('Items worked on at a time.'),
  group_size: z.int().min(2).default(3).describe('tree only: items reduced by one execution.'),
  split_type: z
    .enum(['message', 'json_array', 'json_path', 'lines', 'delimiter', 'regex'])
    .optional()
    .describe('How the text becomes items.'),
  delimiter: z.string().min(1).optional().describe('With split_type delimiter: the text that separates items.'),
  pattern: z
    .string()
    .optional()
    .describe(
      'With split_type regex or delimiter: a regular expression for what separates items; blank lines by default.',
    ),
  json_path: z.string().optional().describe('With split_type json_path: where in a JSON text the list of items is.'),
  item_name: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'A name consists of letters, digits and _, and does not begin with a digit')
    .optional()
    .describe('The name under which texts of the target use the item: {{name}}.'),
});

/** A subgraph node's configuration. */
export const SubgraphSchema = z.object({
  type: z.enum(['config', 'file']).describe('Whether the graph is written here or in a file of its own.'),
  config: anything.describe('The graph, or the path of its file.'),
  termination: anything.describe('When a call of the graph stops, beside what the graph says itself.'),
  vars: anything.describe('Belongs at the top of a document.'),
});

/** Where the graph of a subgraph node is found. */
export const SubgraphFileSchema = z.object({ path: z.string().min(1).describe('The file with the graph.') });

/** A memory store. */
export const MemoryStoreSchema = z.object({
  name: z.string().min(1).describe('The name that agents use.'),
  type: z.string().describe('The kind of store.'),
  config: z.record(z.string(), z.unknown()).nullish().describe('Settings of the kind of store.'),
});

/** A message that a node has before the run starts. */
export const MessageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']).describe('Who speaks.'),
  content: anything.describe('The text.'),
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  keep: z.boolean().default(false).describe('Survives the context window.'),
  preserve_role: z.boolean().default(false).describe('The role survives edges.'),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
