import { z } from 'zod';
import { singleLine } from '../../model/text/field-patterns.ts';

/** A boss as authors write it, level by level, like document-schemas.ts. */

const anything = z.unknown().optional();
const name = z.string().regex(singleLine);

/** The configuration of a boss. */
export const BossSchema = z.object({
  name: anything.describe('Name in logs, 1 to 64 characters; the id of the node if omitted.'),
  description: z.string().nullish().describe('What the boss can do, for people and for an outer boss.'),
  memory_files: anything.describe('Texts that the boss keeps, such as plan and logs: names with paths or settings.'),
  memory_reading: anything.describe('Memory files that are read before each round: `stores`; all if omitted.'),
  planner: anything.describe('The node that makes the plan before the first round; null for none.'),
  controller: anything.describe('The model that chooses one command in each round.'),
  executor: anything.describe('The commands: `branches`, by name.'),
  memory_writing: anything.describe('Entry that is written after each round: `store` and `value`.'),
  max_round: anything.describe('Maximum number of rounds; 30 if omitted.'),
  max_rounds: anything.describe('Another spelling of max_round.'),
  on_max_round: anything.describe('Action after the last round: `action` is return, fail or ask_user.'),
  finish: anything.describe('Commands that end the boss, by name.'),
  early_exit_key: name
    .min(1)
    .nullish()
    .describe('Field of structured output that ends the boss when it is true; EARLY_EXIT if omitted.'),
  detect: anything.describe('Registered function that changes or checks each decision of the controller.'),
  inputs: anything.describe('Sources of `goal`, `plan` and `logs`: paths or templates.'),
  topology: anything.describe('Steps of a round, in order: controller, executor, and others.'),
  steps: anything.describe('Further steps that `topology` names: nodes with `input` and `output`.'),
  termination: anything.describe('Conditions that stop a call of the boss; it then returns its latest result.'),
  reset: anything.describe(
    '`per_call`: every call starts without history. `never`: the controller keeps its history from earlier calls.',
  ),
  subflows_config: anything.describe('Nested spelling: MemoryReading, Planner and CtrlExMem with their settings.'),
});

/** A node inside a boss. */
export const BossPartSchema = z.object({
  type: name.nullish().describe('Type of the node.'),
  config: anything.describe('Settings of the node type.'),
});

/** The planner: a node, and the memory file of its plan. */
export const BossPlannerSchema = BossPartSchema.extend({
  store: name.default('plan').describe('The memory file that holds the plan.'),
});

/** An argument of a command. */
export const BossArgumentSchema = z.object({
  type: z
    .enum(['string', 'number', 'integer', 'boolean', 'array', 'object'])
    .default('string')
    .describe('Type of the argument.'),
  required: z.boolean().default(false).describe('The argument must be given.'),
  description: z.string().nullish().describe('Tells the model the purpose of the argument.'),
});

/** Arguments of a command by name. */
export const BossArgumentsSchema = z.record(z.string(), BossArgumentSchema);

/** A command of the executor. */
export const BossBranchSchema = BossPartSchema.extend({
  description: z.string().nullish().describe('Tells the model when to choose the command.'),
  args: anything.describe('Arguments of the command; `goal` if omitted.'),
  builtin: z.enum(['update_plan', 'ask_user', 're_plan']).nullish().describe('A built-in command.'),
  inject: z.array(name).default([]).describe('Variables that are added to the arguments.'),
  result: z.string().nullish().describe('Template of the result that the controller receives.'),
  summary: z.string().nullish().describe('Template of the entry in the logs.'),
  on_error: z
    .enum(['observe', 'fail'])
    .default('observe')
    .describe('observe: the model receives the failure. fail: the run fails.'),
});

/** A command that ends the boss. */
export const BossFinishSchema = z.object({
  description: z.string().default('The goal is reached.').describe('Tells the model when to choose the command.'),
  args: anything.describe('Arguments of the command.'),
  result: z.string().default('{{ args.summary }}').describe('Template of the result.'),
  summary: z.string().nullish().describe('Template of the summary that the caller stores.'),
  status: z.enum(['finished', 'unfinished']).default('finished').describe('Status of the result.'),
});

/** Action after the last round. */
export const BossMaxRoundSchema = z.object({
  action: z.enum(['return', 'fail', 'ask_user']).default('return').describe('Return, fail, or ask a person.'),
  result: z.string().nullish().describe('Template of the result.'),
  summary: z.string().nullish().describe('Template of the summary that the caller stores.'),
});

/** Entry that is written after each round. */
export const BossMemoryWritingSchema = z.object({
  store: name.default('logs').describe('The memory file.'),
  value: z.string().default('{{ summary }}').describe('Template of the entry.'),
});

/** Memory files that are read before each round. */
export const BossMemoryReadingSchema = z.object({
  stores: z
    .union([z.literal('all'), z.array(name)])
    .default('all')
    .describe('Names of memory files, or all.'),
});

/** Sources of the inputs of a boss. */
export const BossInputsSchema = z.object({
  goal: z.string().nullish().describe('The goal.'),
  plan: z.string().nullish().describe('A plan that exists already.'),
  logs: z.string().nullish().describe('Logs of earlier work.'),
});

/** A further step of each round. */
export const BossStepSchema = BossPartSchema.extend({
  input: z.record(z.string(), z.string()).nullish().describe('Data for the node: names with paths or templates.'),
  output: z
    .record(z.string(), z.string())
    .nullish()
    .describe('Variables that the step sets: names with paths or templates.'),
  reset: z.boolean().default(false).describe('No effect: every step starts its node without history.'),
});
