import { argumentText, singleLine, variableName, variableNameAdvice } from '@millrace/core';
import { z } from 'zod';
import { Effects, OnUnknown } from './effects-config.ts';
import { ToolPolicy } from './policy-config.ts';

const seconds = z
  .number({ error: 'Write a number of seconds.' })
  .positive({ error: 'Write a number of seconds above 0.' })
  .max(86_400, { error: 'Write at most 86400 seconds, which is a day.' })
  .nullish();
const scalarOf = (pattern: RegExp) =>
  z.union([z.string().regex(pattern), z.number(), z.boolean()], {
    error: 'Write a text, a number, `true` or `false`.',
  });
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: 'Write the name of a header.' });
const prefix = z
  .string({ error: 'Write a text, such as `prefix: web`.' })
  .regex(singleLine)
  .nullish()
  .describe('Prefix of the names of all tools of this entry: `<prefix>_<name>`.');

const FunctionTool = z
  .object({
    name: z
      .string({ error: 'Write the name of a function, or `<module>:All`.' })
      .trim()
      .min(1, { error: 'Write the name of a function, or `<module>:All`.' })
      .regex(singleLine)
      .describe('The function, or `<module>:All` for all functions of a module.'),
    description: z.string({ error: 'Write a text.' }).nullish().describe('Replaces the description of the function.'),
    parameters: z
      .record(z.string(), z.unknown(), { error: 'Write a JSON Schema as a mapping.' })
      .nullish()
      .describe('Replaces the JSON Schema of the parameters.'),
    auto_fill: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(true)
      .describe('Reads description and parameters from the function if they are omitted.'),
  })
  .refine((tool) => !tool.name.endsWith(':All') || (tool.description == null && tool.parameters == null), {
    error: 'Remove `description` and `parameters`: `:All` stands for several functions.',
  });

const FunctionTools = z.object({
  tools: z
    .array(FunctionTool.describe('A function that the model may call.'), {
      error: 'Write a list of functions, such as `- name: read_file`.',
    })
    .min(1, { error: 'Name at least one function, such as `- name: read_file`.' })
    .superRefine((tools, context) => {
      for (const [index, { name }] of tools.entries()) {
        if (tools.findIndex((tool) => tool.name === name) === index) continue;
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `Remove this entry: "${name}" is already listed above.`,
        });
      }
    })
    .describe('The functions that the model may call.'),
  auto_load: z.boolean({ error: 'Write `true` or `false`.' }).default(true).describe('Has no effect.'),
  timeout: seconds.describe('Time limit of one call, in seconds; 600 if omitted.'),
});

const McpRemote = z.object({
  server: z
    .string({ error: 'Write the URL of the server.' })
    .trim()
    .min(1, { error: 'Write the URL of the server.' })
    .regex(singleLine)
    .describe('URL of an MCP server (streamable HTTP).'),
  headers: z
    .record(headerName, scalarOf(singleLine), { error: 'Write a mapping of header names to values.' })
    .nullish()
    .describe('HTTP headers sent with every request.'),
  timeout: seconds.describe('Time limit of one request, in seconds; 10 if omitted.'),
  cache_ttl: z.number({ error: 'Write a number of seconds.' }).nullish().describe('Has no effect.'),
  tool_sources: z.array(z.string()).nullish().describe('Has no effect.'),
});

const McpLocal = z.object({
  command: z
    .string({ error: 'Write the command that starts the server.' })
    .trim()
    .min(1, { error: 'Write the command that starts the server.' })
    .regex(singleLine)
    .describe('Command that starts the MCP server, which uses its standard input and output.'),
  args: z
    .array(scalarOf(argumentText), { error: 'Write a list of arguments.' })
    .nullish()
    .describe('Arguments of the command.'),
  cwd: z.string({ error: 'Write a path.' }).regex(singleLine).nullish().describe('Working directory of the command.'),
  env: z
    .record(z.string().regex(variableName, { error: variableNameAdvice }), scalarOf(argumentText), {
      error: 'Write a mapping of names to values.',
    })
    .nullish()
    .describe('Environment variables of the command.'),
  inherit_env: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(true)
    .describe('Passes the environment of the worker to the command, without the settings of Millrace itself.'),
  startup_timeout: seconds.describe('Time limit of the start of the server, in seconds.'),
  wait_for_log: z.string({ error: 'Write a text.' }).nullish().describe('Has no effect.'),
  cache_ttl: z.number({ error: 'Write a number of seconds.' }).nullish().describe('Has no effect.'),
});

const effectFields = {
  effects: Effects,
  on_unknown: OnUnknown,
  policy: ToolPolicy.nullish().describe(
    'Rules about calls of the tools: allow, ask a person first, or deny. The first one that applies counts; the call is made if none does.',
  ),
};

const serverFields = {
  trust_annotations: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(false)
    .describe(
      'Believes the server: a tool that it calls read-only or idempotent has the effect `read` or `idempotent`, and rules of `policy` may allow its calls by `annotation`.',
    ),
  idempotency_meta: z
    .string({ error: 'Write a text.' })
    .regex(/^[\w./-]{1,100}$/, { error: 'Write a name of letters, digits, `_`, `-`, `.` and `/`.' })
    .nullish()
    .describe(
      'Name in `_meta` under which the server gets the idempotency key of a call; `dev.millrace/idempotencyKey` if omitted.',
    ),
};

const mapping = { error: 'Write a mapping under `config`.' };

/** The `tooling` of an agent: a list of bindings, each a source of tools. */
export const Tooling = z
  .array(
    z.discriminatedUnion(
      'type',
      [
        z
          .object({
            type: z.literal('function').describe('Built-in functions.'),
            config: z.object(FunctionTools.shape, mapping).describe('The functions.'),
            prefix,
            ...effectFields,
          })
          .describe('Functions that the model may call.'),
        z
          .object({
            type: z.literal('mcp_remote').describe('An MCP server reached by URL.'),
            config: z.object(McpRemote.shape, mapping).describe('How to reach the server.'),
            prefix,
            ...effectFields,
            ...serverFields,
          })
          .describe('Tools of an MCP server that is reached by its URL.'),
        z
          .object({
            type: z.literal('mcp_local').describe('An MCP server started as a command.'),
            config: z.object(McpLocal.shape, mapping).describe('How to start the server.'),
            prefix,
            ...effectFields,
            ...serverFields,
          })
          .describe('Tools of an MCP server that is started as a command.'),
      ],
      { error: 'Write `type: function`, `type: mcp_remote` or `type: mcp_local` and a `config`.' },
    ),
    { error: 'Write `tooling` as a list: put a dash before `type`.' },
  )
  .nullish()
  .describe('Tools that the model may call.');

/** One entry of `tooling`. */
export type ToolBinding = NonNullable<z.infer<typeof Tooling>>[number];
