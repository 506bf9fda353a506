import { z } from 'zod';

/** A boss as authors write it, level by level, like document-schemas.ts. */

const anything = z.unknown().optional();

/** The configuration of a boss. */
export const BossSchema = z.object({
  name: anything.describe('Its name in logs, 1 to 64 characters; the id of the node when left out.'),
  description: z.string().nullish().describe('What it can do, for people and for the boss above it.'),
  memory_files: anything.describe('Texts that it keeps, such as plan and logs: names with paths, or with settings.'),
  memory_reading: anything.describe('Which of them it reads before each round: `stores`, all when left out.'),
  planner: anything.describe('The node that makes the plan, before the first round; null: there is none.'),
  controller: anything.describe('The model that chooses one command in each round.'),
  executor: anything.describe('What the commands are: `branches`, by name.'),
  memory_writing: anything.describe('What is written after each round: `store` and `value`.'),
  max_round: anything.describe('Rounds at most; 30 when left out.'),
  max_rounds: anything.describe('Another spelling of max_round.'),
  on_max_round: anything.describe('What happens after the last round: `action` is return, fail or ask_user.'),
  finish: anything.describe('Commands that end it, by name.'),
  early_exit_key: z
    .string()
    .min(1)
    .nullish()
    .describe('A field of structured output that ends it when it is true; EARLY_EXIT when left out.'),
  detect: anything.describe('A registered function that decides what becomes of a decision.'),
  inputs: anything.describe('Where `goal`, `plan` and `logs` come from: paths or templates.'),
  topology: anything.describe('The steps of a round, in order: controller, executor, and others.'),
  steps: anything.describe('Further steps that `topology` names: nodes with `input` and `output`.'),
  termination: anything.describe('When a call of it stops before its end; it then returns what it has come to.'),
  reset: anything.describe(
    '`per_call`: every call starts anew. `never`: its controller remembers what it said in earlier calls.',
  ),
  subflows_config: anything.describe('Another spelling: MemoryReading, Planner and CtrlExMem with their settings.'),
});

/** A node inside a boss. */
export const BossPartSchema = z.object({
  type: z.string().nullish().describe('The kind of node.'),
  config: anything.describe('Settings of the kind of node.'),
});

/** The planner: a node, and where its plan is kept. */
export const BossPlannerSchema = BossPartSchema.extend({
  store: z.string().default('plan').describe('The memory file that takes the plan.'),
});

/** An argument of a command. */
export const BossArgumentSchema = z.object({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']).default('string').describe('Its type.'),
  required: z.boolean().default(false).describe('Whether it must be given.'),
  description: z.string().nullish().describe('Tells the model what it is for.'),
});

/** Arguments of a command by name. */
export const BossArgumentsSchema = z.record(z.string(), BossArgumentSchema);

/** A command of the executor. */
export const BossBranchSchema = BossPartSchema.extend({
  description: z.string().nullish().describe('Tells the model when to choose it.'),
  args: anything.describe('Its arguments; `goal` when left out.'),
  builtin: z.enum(['update_plan', 'ask_user', 're_plan']).nullish().describe('A command that is there already.'),
  inject: z.array(z.string()).default([]).describe('Variables that are put among the arguments.'),
  result: z.string().nullish().describe('What the controller is told, as a template.'),
  summary: z.string().nullish().describe('What is written to the logs, as a template.'),
  on_error: z
    .enum(['observe', 'fail'])
    .default('observe')
    .describe('A failure is told to the model, or fails the run.'),
});

/** A command that ends the boss. */
export const BossFinishSchema = z.object({
  description: z.string().default('The goal is reached.').describe('Tells the model when to choose it.'),
  args: anything.describe('Its arguments.'),
  result: z.string().default('{{ args.summary }}').describe('The result, as a template.'),
  summary: z.string().nullish().describe('What the caller notes of it, as a template.'),
  status: z.enum(['finished', 'unfinished']).default('finished').describe('What it means.'),
});

/** What happens after the last round. */
export const BossMaxRoundSchema = z.object({
  action: z.enum(['return', 'fail', 'ask_user']).default('return').describe('Return, fail, or ask a person.'),
  result: z.string().nullish().describe('The result, as a template.'),
  summary: z.string().nullish().describe('What the caller notes of it, as a template.'),
});

/** What is written after each round. */
export const BossMemoryWritingSchema = z.object({
  store: z.string().default('logs').describe('The memory file.'),
  value: z.string().default('{{ summary }}').describe('What is added, as a template.'),
});

/** What is read before each round. */
export const BossMemoryReadingSchema = z.object({
  stores: z
    .union([z.literal('all'), z.array(z.string())])
    .default('all')
    .describe('Names of memory files, or all.'),
});

/** Where the inputs come from. */
export const BossInputsSchema = z.object({
  goal: z.string().nullish().describe('The goal.'),
  plan: z.string().nullish().describe('A plan that is there already.'),
  logs: z.string().nullish().describe('Logs to go on from.'),
});

/** A further step of each round. */
export const BossStepSchema = BossPartSchema.extend({
  input: z.record(z.string(), z.string()).nullish().describe('What the node is given: names with paths or templates.'),
  output: z.record(z.string(), z.string()).nullish().describe('Variables that it sets: names with paths or templates.'),
  reset: z.boolean().default(false).describe('Nodes begin every step anew anyway.'),
});
