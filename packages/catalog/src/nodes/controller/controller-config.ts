import { singleLine } from '@millrace/core';
import { z } from 'zod';
import { Template } from '../../templates/template-field.ts';
import { AgentConfig } from '../agent/agent-config.ts';

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;

/** An argument of a command. */
export const CommandArgument = z.object({
  type: z
    .enum(types, { error: `Write one of ${types.join(', ')}.` })
    .default('string')
    .describe('Type of the value.'),
  required: z.boolean({ error: 'Write `true` or `false`.' }).default(false).describe('The argument must be given.'),
  description: z.string({ error: 'Write a text.' }).nullish().describe('Tells the model the purpose of the argument.'),
});

/** A command that a controller may choose. */
export const ControllerCommand = z.object({
  description: z
    .string({ error: 'Write when the model is to choose it.' })
    .describe('Tells the model when to choose the command.'),
  args: z
    .record(z.string(), CommandArgument.describe('An argument of the command.'), {
      error: 'Write a mapping of names to `type`, `required`, `description`.',
    })
    .default({})
    .describe('Arguments of the command by name; others are refused.'),
  inject: z
    .array(z.string().regex(singleLine), { error: 'Write a list of names of variables.' })
    .default([])
    .describe('Variables that are added to the arguments after the model has chosen the command.'),
  attachments: z
    .literal('text', { error: 'Write `text`, or leave it out.' })
    .nullish()
    .describe('With `text`, the text files that are attached to the task are passed along with the command.'),
});
export type ControllerCommand = z.infer<typeof ControllerCommand>;

const rounds = (what: string) =>
  z.int({ error: 'Write a whole number.' }).min(0, { error: 'Write a number of at least 0.' }).describe(what);

/** Configuration of a `controller` node. */
export const ControllerConfig = AgentConfig.pick({
  provider: true,
  name: true,
  base_url: true,
  api_key: true,
  role: true,
  params: true,
  fallback: true,
  cache: true,
  on_incomplete: true,
  retry: true,
}).extend({
  commands: z
    .record(
      z.string().regex(/^[A-Za-z_][\w-]*$/, { error: 'A name consists of letters, digits, _ and -.' }),
      ControllerCommand.describe('A command that the model may choose.'),
      {
        error: 'Write a mapping of names to `description` and `args`.',
      },
    )
    .refine((commands) => Object.keys(commands).length > 0, { error: 'Write at least one command.' })
    .describe('Commands that the model may choose; exactly one in each round.'),
  decision: z
    .enum(['tools', 'json'], { error: 'Write `tools` or `json`.' })
    .default('tools')
    .describe('tools offers commands as functions to call; json lets the model write JSON.'),
  repair_attempts: z
    .int({ error: 'Write a whole number from 0 to 5.' })
    .min(0, { error: 'Write a number from 0 to 5.' })
    .max(5, { error: 'Write a number from 0 to 5.' })
    .default(1)
    .describe('Number of further requests after an answer that is not a command.'),
  on_invalid: z
    .enum(['observe', 'fail'], { error: 'Write `observe` or `fail`.' })
    .default('observe')
    .describe('After these attempts: observe takes the branch `$invalid` with the error as result; fail fails.'),
  history: z
    .object({
      first_k: rounds('Number of first rounds.').default(0),
      last_k: rounds('Number of latest rounds.').default(3),
    })
    .prefault({})
    .describe('Earlier rounds that the model sees.'),
  first_prompt: Template.default('{{ text }}').describe('Template of the prompt in the first round.'),
  next_prompt: Template.default('{{ text }}').describe('Template of the prompt in later rounds.'),
  detect: z
    .object({
      type: z.literal('function', { error: 'Write `type: function`.' }).describe('Always function.'),
      config: z
        .object({ name: z.string().min(1).regex(singleLine).describe('Name of a registered function.') })
        .describe('The function.'),
    })
    .nullish()
    .describe('Function that turns the decision into a branch, an observation or an end.'),
});

/** A parsed configuration of a controller. */
export type ControllerConfig = z.infer<typeof ControllerConfig>;
