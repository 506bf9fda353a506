import type {
  ConfigProblem,
  Host,
  JsonSchema,
  KnownTools,
  ModelTool,
  ToolContext,
  ToolDefinition,
  WorkspaceToolContext,
} from '@millrace/core';
import { describeIssues, didYouMean, isMapping, NodeError } from '@millrace/core';
import { z } from 'zod';
import { answerOf } from '../../../tools/tool-answer.ts';
import type { BoundTool, ToolArguments, ToolExecution } from './bound-tool.ts';
import { defaultTimeoutSeconds, exposedName, idempotencyMeta, serverEffect, serverName } from './bound-tool.ts';
import { effectProblems } from './effects-config.ts';
import { policyFieldProblems } from './policy-config.ts';
import type { ToolBinding } from './tooling-config.ts';

/** Functions of an installation, by name. */
export type Functions = ReadonlyMap<string, ToolDefinition>;

type FunctionBinding = Extract<ToolBinding, { type: 'function' }>;
type Entry = FunctionBinding['config']['tools'][number];

const wholeModule = ':All';

/** Returns the functions that an entry of `tooling` binds. */
export function functionTools(
  { config, prefix }: FunctionBinding,
  { functions, host }: { readonly functions: Functions; readonly host: Host },
): BoundTool[] {
  return config.tools.flatMap((entry) => {
    const tools = toolsNamed(entry.name, functions);
    if (tools.length === 0) throw new NodeError('TOOL_UNKNOWN', problemOf(entry.name, functions).message);
    return tools.map((tool): BoundTool => {
      const bound = boundFunction(tool, { host, timeoutSeconds: config.timeout ?? defaultTimeoutSeconds });
      return { ...bound, spec: { ...offerOf(tool, entry), name: exposedName(tool.name, prefix) } };
    });
  });
}

/** Returns a function as a tool of an agent, under its own name. */
export const boundFunction = (
  tool: ToolDefinition,
  limits: { readonly host: Host; readonly timeoutSeconds: number },
): BoundTool => ({
  spec: { name: tool.name, description: tool.description, parameters: toolSchemaOf(tool) },
  name: tool.name,
  origin: 'tooling',
  work: workOf(tool, limits),
  // People must see where a call goes, also if a file of the operator maps the function.
  ...('served' in tool ? { server: `${tool.served.tool} at ${serverName(tool.served.server)}` } : {}),
});

/** Reports functions that do not exist, and those that an entry binds twice. */
export function functionProblems(
  { config, ...fields }: FunctionBinding,
  functions: Functions,
): readonly ConfigProblem[] {
  const bound = new Set<string>();
  const ofTools = config.tools.flatMap(({ name }, at): ConfigProblem[] => {
    const path = ['config', 'tools', at, 'name'];
    const tools = toolsNamed(name, functions);
    if (tools.length === 0) return [{ code: 'E_TOOL_UNKNOWN', severity: 'error', path, ...problemOf(name, functions) }];
    const again = tools.filter((tool) => bound.has(tool.name));
    for (const tool of tools) bound.add(tool.name);
    return [
      ...again.map(
        (tool): ConfigProblem => ({
          code: 'E_FIELD_INVALID',
          severity: 'error',
          path,
          message: `The function "${tool.name}" is already bound above.`,
        }),
      ),
      ...tools.flatMap((tool) => unavailableProblem(tool, path)),
    ];
  });
  const effects = new Map([...bound].map((name) => [name, functions.get(name)?.effect ?? 'idempotent'] as const));
  return [
    ...ofTools,
    ...effectProblems(fields, effects),
    ...policyFieldProblems(fields, { known: argumentNames(config.tools, [...bound], functions), trusted: true }),
  ];
}

/** Returns the names of the arguments of functions; undefined for one whose schema leaves them open, or is replaced. */
const argumentNames = (entries: readonly Entry[], bound: readonly string[], functions: Functions) =>
  new Map(
    bound.map((name) => {
      const tool = functions.get(name);
      const isReplaced = entries.some((entry) => entry.name === name && entry.parameters != null);
      const { properties } = tool === undefined || isReplaced ? {} : toolSchemaOf(tool);
      return [name, isMapping(properties) ? Object.keys(properties) : undefined] as const;
    }),
  );

/** Returns the functions that an entry binds by the names that rules may use, with the names of their arguments. */
export function knownFunctions({ config, prefix }: FunctionBinding, functions: Functions): KnownTools {
  const bound = config.tools.flatMap(({ name }) => toolsNamed(name, functions).map((tool) => tool.name));
  const known = [...argumentNames(config.tools, bound, functions)];
  return new Map([...known, ...known.map(([name, own]) => [exposedName(name, prefix), own] as const)]);
}

/** Reports a function of the original engine that this installation lacks. */
const unavailableProblem = (
  { name, unavailable }: ToolDefinition,
  path: readonly (string | number)[],
): ConfigProblem[] =>
  unavailable === undefined
    ? []
    : [
        {
          code: 'W_TOOL_UNAVAILABLE',
          severity: 'warning',
          path,
          message: `The function "${name}" is not available here, so its calls fail: it needs ${unavailable}`,
          hint: `Map it to a tool of an MCP server in the file that MILLRACE_TOOLS names, or register a function of that name in the module that MILLRACE_EXTENSIONS names.`,
        },
      ];

/** Returns whether any function that an entry binds may use the workspace. */
export const functionsUseWorkspace = ({ config }: FunctionBinding, functions: Functions): boolean =>
  config.tools.some(({ name }) => toolsNamed(name, functions).some(({ workspace }) => workspace === true));

/** Returns the function of that name, or all functions of a module in the order of their names. */
function toolsNamed(name: string, functions: Functions): readonly ToolDefinition[] {
  if (!name.endsWith(wholeModule)) {
    const tool = functions.get(name);
    return tool === undefined ? [] : [tool];
  }
  const module = name.slice(0, -wholeModule.length);
  const tools = [...functions.values()].filter((tool) => tool.module === module);
  return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function problemOf(name: string, functions: Functions): Pick<ConfigProblem, 'message' | 'hint'> {
  if (name.endsWith(wholeModule)) {
    const modules = new Set([...functions.values()].flatMap(({ module }) => module ?? []));
    const message = `There is no module of functions "${name.slice(0, -wholeModule.length)}".`;
    return { message, hint: `The modules are: ${[...modules].sort().join(', ')}.` };
  }
  const hint = didYouMean(name, functions.keys());
  const message = `There is no function "${name}" for models to call.`;
  return hint === undefined ? { message } : { message, hint };
}

function offerOf(tool: ToolDefinition, { description, parameters, auto_fill }: Entry): ModelTool {
  return {
    name: tool.name,
    description: description ?? (auto_fill ? tool.description : ''),
    parameters: parameters ?? (auto_fill ? toolSchemaOf(tool) : { type: 'object', properties: {} }),
  };
}

function workOf(tool: ToolDefinition, { host, timeoutSeconds }: { host: Host; timeoutSeconds: number }): ToolExecution {
  if ('execute' in tool) return { type: 'action', timeoutSeconds, ...ownFunction(tool, host) };
  if ('question' in tool) return { type: 'question', text: (args) => tool.question(argumentsOf(tool, args)) };
  if ('served' in tool) return { type: 'action', timeoutSeconds, ...servedTool(tool, host) };
  const { compat } = host;
  return {
    type: 'program',
    program: (args) => tool.program(argumentsOf(tool, args)),
    answer: (ran) => answerOf(tool.answer(ran), { compat }),
  };
}

type Action = Omit<Extract<ToolExecution, { type: 'action' }>, 'type' | 'timeoutSeconds'>;

function ownFunction(tool: Extract<ToolDefinition, { execute: unknown }>, host: Host): Action {
  const { run, node, compat } = host;
  return {
    ...(tool.workspace === true ? { usesWorkspace: true } : {}),
    effect: tool.effect ?? 'idempotent',
    async run(args, { key, signal, emit, sleep, workspace }) {
      const { fetch } = host;
      const context = { run, node, key, compat, signal, emit, sleep, fetch, now: () => host.now() };
      const checked = argumentsOf(tool, args);
      const answer =
        tool.workspace === true && workspace !== undefined
          ? await tool.execute(checked, { ...context, workspace })
          : await tool.execute(checked, withoutWorkspace(tool.name, context));
      return answerOf(answer, { compat });
    },
  };
}

function servedTool(tool: Extract<ToolDefinition, { served: unknown }>, host: Host): Action {
  const { server, tool: name, argumentsOf: others } = tool.served;
  const connection = host.mcp(server);
  return {
    effect: tool.effect ?? serverEffect(host),
    async run(args, { key, signal, emit }) {
      const checked = argumentsOf(tool, args) as ToolArguments; // a schema of an object
      return connection.call(name, others?.(checked) ?? checked, { signal, emit, meta: { [idempotencyMeta]: key } });
    },
  };
}

/** Returns a context that names the cure when code without types looks for the workspace in it. */
const withoutWorkspace = (tool: string, context: ToolContext): WorkspaceToolContext => ({
  // Before the spread, as a field that is added after one takes much longer.
  get workspace(): never {
    throw new Error(`the tool "${tool}" uses the workspace without asking for it: define it with \`workspace: true\``);
  },
  ...context,
});

const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** Returns the JSON Schema of a tool's arguments, as models receive it; it is made once. */
function toolSchemaOf({ parameters }: Pick<ToolDefinition, 'parameters'>): JsonSchema {
  if (!(parameters instanceof z.ZodType)) return parameters;
  const known = schemas.get(parameters);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(parameters, { io: 'input' });
  schemas.set(parameters, schema);
  return schema;
}

/** Parses the arguments of a tool. Throws an error that tells the model the problems. */
export function argumentsOf({ parameters }: Pick<ToolDefinition, 'parameters'>, given: JsonObject): unknown {
  const { data, error } = typeOf(parameters).safeParse(given);
  if (error === undefined) return data;
  throw new Error(`invalid arguments: ${describeIssues(error.issues)}`);
}

type JsonObject = Readonly<Record<string, unknown>>;

const types = new WeakMap<object, z.ZodType>();

function typeOf(parameters: ToolDefinition['parameters']): z.ZodType {
  if (parameters instanceof z.ZodType) return parameters;
  const known = types.get(parameters);
  if (known !== undefined) return known;
  const type = z.fromJSONSchema({ ...parameters });
  types.set(parameters, type);
  return type;
}
