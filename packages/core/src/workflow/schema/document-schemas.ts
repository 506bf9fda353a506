import { z } from 'zod';
import { queueName } from '../../model/ids.ts';
import { singleLine } from '../../model/text/field-patterns.ts';
import { maxBudgetDollars } from '../../model/usage/budget.ts';
import { Prices } from '../../model/usage/price.ts';
import { RateRules } from '../../model/usage/rate.ts';

/**
 * A workflow as authors write it, level by level. The contents of a level are parsed by the schemas of the next level,
 * so that one mistake never hides another.
 */

/** Parsed by the next level, or not at all. */
const anything = z.unknown().optional();

const name = z.string().regex(singleLine);
const names = z.union([name, z.array(name)]);

const Queue = z
  .string()
  .regex(queueName, 'A queue name has letters, digits, _ and -, at most 50, with a letter or digit at both ends');

/** The top of a file. */
export const WorkflowSchema = z.object({
  version: name.nullish().describe('Version of the document, in quotes. Shown, never interpreted.'),
  vars: z.record(z.string(), z.unknown()).nullish().describe('Variables that texts use as ${NAME}.'),
  graph: anything.describe('The graph of the workflow.'),
});

/** A graph, whether at the top, in a subgraph node or alone in a file. */
export const GraphSchema = z.object({
  id: name.nullish().describe('Name of the graph: letters, digits, _ and -.'),
  description: z.string().nullish().describe('Purpose of the workflow.'),
  title: z
    .string()
    .max(500)
    .nullish()
    .describe(
      'Title of its runs in lists, at most 120 characters: {{input}} is the task, {{input.field}} a field of a task in JSON. The first line of the task if omitted.',
    ),
  log_level: z
    .enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'])
    .optional()
    .describe('Lowest level of the log entries that are shown.'),
  is_majority_voting: z
    .boolean()
    .default(false)
    .describe('Run every node once on the task and take the most frequent answer; edges are ignored.'),
  max_iterations: z
    .union([z.int().min(1), z.literal('unlimited')])
    .optional()
    .describe('Maximum number of iterations of a loop that nothing else ends; 100 if omitted.'),
  compat: z
    .literal('chatdev')
    .optional()
    .describe('Restores the behaviour of the original engine where this one differs.'),
  queue: Queue.optional().describe('Queue of the nodes that name no other; only workers that serve it execute them.'),
  start: names.nullish().describe('Ids of the nodes that receive the task. Optional if the graph has one source.'),
  end: names
    .nullish()
    .describe(
      'Ids of the nodes whose output is the result, in order of preference. Optional if the graph has one sink.',
    ),
  initial_instruction: z.string().nullish().describe('Text that is shown to people before they enter the task.'),
  organization: name.nullish().describe('A tag of the run.'),
  budget: z
    .object({
      tokens: z.int().min(0).optional().describe('Tokens of all prompts and answers together.'),
      usd: z.number().min(0).max(maxBudgetDollars).optional().describe('US dollars.'),
      on_exceeded: z
        .enum(['stop', 'ask'])
        .default('stop')
        .describe('Stop the run so that it can be resumed, or ask a person for a larger budget.'),
    })
    .nullish()
    .describe('Limits of what a run may spend on models, subgraphs included.'),
  prices: Prices.nullish().describe('Prices of models by name; they replace the built-in ones.'),
  rate_limits: RateRules.nullish().describe('Limits of the model calls in a minute, for all workers together.'),
  record_requests: z
    .boolean()
    .nullish()
    .describe('Stores what models are asked in the journals of runs, for people to look at; true if omitted.'),
  tool_policy: anything.describe(
    'Rules about calls of tools in the graph and in the graphs inside it: allow, ask or deny.',
  ),
  nodes: anything.describe('Nodes of the graph.'),
  edges: anything.describe('Edges that connect the nodes.'),
  memory: anything.describe('Memory stores that agents may use.'),
  termination: anything.describe('Conditions that stop the graph before its end.'),
  scopes: anything.describe('Named parts of the graph that stop on their own.'),
  vars: anything.describe('Belongs at the top of the document.'),
  args: anything.describe('Description of the workflow for other programs; has no effect.'),
});

/** A node without its configuration. */
export const NodeSchema = z.object({
  id: name
    .refine((id) => id.trim() !== '', 'A node id must not be blank')
    // Outputs are keyed by the ids of nodes, and JSON objects must not have this key.
    .refine((id) => id !== '__proto__', 'A node id must not be "__proto__"')
    .describe('Unique name within the graph.'),
  type: name.describe('Type of the node.'),
  description: z.string().nullish().describe('Purpose of the node.'),
  config: anything.describe('Settings of the node type.'),
  context_window: z
    .int()
    .default(0)
    .describe('Messages that the node keeps for its next execution: 0 only kept ones, -1 all, N the newest N.'),
  log_output: z.boolean().default(true).describe('Shows the output in the log.'),
  on_error: z
    .enum(['fail', 'text', 'continue'])
    .optional()
    .describe('A failure fails the run, becomes output text, or counts as no output.'),
  timeout: z
    .number()
    .positive()
    .max(2_000_000)
    .optional()
    .describe('Time limit of one attempt, in seconds; after that the node fails.'),
  queue: Queue.optional().describe('Queue of the node; only workers that serve it execute the node.'),
  input: anything.describe('Messages that wait at the node before the run starts.'),
  output: anything.describe('Messages that count as produced before the run starts.'),
});

/** An edge without its condition, processor and fan-out. */
export const EdgeSchema = z.object({
  from: name.describe('Id of the source node.'),
  to: name.describe('Id of the target node.'),
  description: anything.describe('Description for people.'),
  trigger: z.boolean().default(true).describe('A message over this edge makes the target due.'),
  condition: anything.describe(
    'Condition of the messages that pass: true, false, the name of a function, or a type with its config.',
  ),
  carry_data: z.boolean().default(true).describe('The message itself is delivered.'),
  keep_message: z.boolean().default(false).describe('Messages over this edge survive the context window.'),
  clear_context: z.boolean().default(false).describe('Removes the messages that wait at the target, except kept ones.'),
  clear_kept_context: z.boolean().default(false).describe('With clear_context: removes kept messages as well.'),
  processor: anything.describe('Processor that changes the message.'),
  process: anything.describe('Another spelling of processor.'),
  dynamic: anything.describe('Executes the target once for each item.'),
});

/** A definition of the catalogue, by its type, with its settings. */
export const UseSchema = z.object({
  type: name.describe('Type of the definition.'),
  config: anything.describe('Settings of the type.'),
});

/** The fan-out of an edge. */
export const DynamicSchema = z.object({
  type: z.enum(['map', 'tree']).describe('map: once for each item. tree: reduces groups of items until one is left.'),
  split: anything.describe('How messages are split into items; if omitted, each message is an item.'),
  config: anything.describe('Limits, and the split in short form.'),
});

/** The limits of a fan-out, and the short form of `split`. */
export const DynamicConfigSchema = z.object({
  max_parallel: z.int().min(1).default(10).describe('Maximum number of items that are executed at the same time.'),
  group_size: z.int().min(2).default(3).describe('tree only: number of items that one execution reduces.'),
  split_type: z
    .enum(['message', 'json_array', 'json_path', 'lines', 'delimiter', 'regex'])
    .optional()
    .describe('How the text is split into items.'),
  delimiter: z.string().min(1).optional().describe('With split_type delimiter: the text that separates items.'),
  pattern: z
    .string()
    .optional()
    .describe(
      'With split_type regex or delimiter: a regular expression for the text that separates items; blank lines by default.',
    ),
  json_path: z.string().optional().describe('With split_type json_path: the path of the list of items in a JSON text.'),
  item_name: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'A name consists of letters, digits and _, and does not begin with a digit')
    .optional()
    .describe('Name under which templates of the target use the item: {{name}}.'),
});

/** A subgraph node's configuration. */
export const SubgraphSchema = z.object({
  type: z
    .enum(['config', 'file'])
    .describe('config: the graph is written here. file: the graph is in a file of its own.'),
  config: anything.describe('The graph, or the path of its file.'),
  termination: anything.describe('Conditions that stop a call of the graph, besides those of the graph itself.'),
  vars: anything.describe('Belongs at the top of a document.'),
});

/** The file of the graph of a subgraph node. */
export const SubgraphFileSchema = z.object({ path: name.min(1).describe('The file with the graph.') });

/** A memory store. */
export const MemoryStoreSchema = z.object({
  name: name.min(1).describe('Name under which agents use the store.'),
  type: name.describe('Type of the store.'),
  config: z.record(z.string(), z.unknown()).nullish().describe('Settings of the store type.'),
});

/** A message that a node has before the run starts. */
export const MessageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']).describe('Role of the author of the message.'),
  content: anything.describe('Text of the message.'),
  name: name.nullish().describe('Name of the author of the message.'),
  tool_call_id: name.nullish().describe('Id of the tool call that the message answers.'),
  keep: z.boolean().default(false).describe('The message survives the context window.'),
  preserve_role: z.boolean().default(false).describe('The message keeps its role on edges.'),
  metadata: z.record(z.string(), z.unknown()).nullish().describe('Data that belongs to the message.'),
});
