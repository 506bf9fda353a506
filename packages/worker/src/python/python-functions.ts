import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type {
  ConditionFunction,
  Extensions,
  ProcessorFunction,
  ProcessorFunctionResult,
  TerminationFunction,
} from '@millrace/catalog';
import type { JsonSchema, ToolDefinition } from '@millrace/core';
import { defineTool, omitUndefined } from '@millrace/core';
import { z } from 'zod';
import { functionEnvironment } from '../programs/config.ts';
import type { Sidecar } from './sidecar.ts';
import { createSidecar, loadingMs } from './sidecar.ts';

/** Options of {@link openPythonFunctions}. */
export interface PythonFunctionsOptions {
  /** Folder with the folders `edge`, `edge_processor`, `function_calling` and `termination`. */
  readonly directory: string;
  /** Name or path of the Python that runs them; default: `python3`. */
  readonly python?: string;
  /** Variables of this process that functions may see, beside PATH, HOME and LANG. */
  readonly variables?: readonly string[];
  /** A call by an edge may take this long, from the call of the function on; default: 60 seconds. Tools and terminations have times of their own. */
  readonly timeoutSeconds?: number;
  /** Receives the output of functions, and the names of functions that could not be loaded. */
  readonly report: (line: string) => void;
}

/** Functions written in Python, for `createVocabulary`. */
export interface PythonFunctions {
  readonly extensions: Extensions;
  /** Ends their process. */
  close(): Promise<void>;
}

const Listing = z.object({
  functions: z.array(
    z.object({
      kind: z.enum(['edge', 'edge_processor', 'function_calling', 'termination']),
      name: z.string(),
      module: z.string(),
      description: z.string().default(''),
      parameters: z.record(z.string(), z.unknown()).default({}),
      keeps_state: z.boolean().default(false),
      takes_context: z.boolean().default(false),
      effect: z.enum(['read', 'idempotent', 'once']).nullish(),
    }),
  ),
  problems: z.array(z.object({ file: z.string(), message: z.string() })),
});

type FunctionEntry = z.infer<typeof Listing>['functions'][number];

const Changes = z.union([
  z.string(),
  z.null(),
  z.object({
    drop: z.boolean().optional(),
    content: z.unknown().transform((content) => (content === undefined ? undefined : String(content))),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
]);

/** Starts a process with the functions of a folder. Throws when the folder or the process is not usable. */
export async function openPythonFunctions(options: PythonFunctionsOptions): Promise<PythonFunctions> {
  const { report, python = 'python3', variables = [], timeoutSeconds = 60 } = options;
  const directory = resolve(options.directory);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`There is no folder ${directory} with Python functions.`);
  }
  const sidecar = createSidecar({ directory, python, env: functionEnvironment(variables), onOutput: report });
  try {
    const { functions, problems } = Listing.parse(await sidecar.ask({ list: true }, { timeoutMs: loadingMs }));
    for (const { file, message } of problems) report(`${file} cannot be loaded: ${message}`);
    const timeoutMs = timeoutSeconds * 1000;
    return { extensions: extensionsOf(functions, { sidecar, timeoutMs }), close: () => sidecar.close() };
  } catch (error) {
    await sidecar.close();
    throw error;
  }
}

interface SidecarAccess {
  readonly sidecar: Sidecar;
  readonly timeoutMs: number;
}

function extensionsOf(functions: readonly FunctionEntry[], calling: SidecarAccess): Extensions {
  const of = (kind: FunctionEntry['kind']) => functions.filter((one) => one.kind === kind);
  return {
    conditions: new Map(of('edge').map(({ name }) => [name, condition(name, calling)])),
    processors: new Map(of('edge_processor').map(({ name }) => [name, processor(name, calling)])),
    tools: of('function_calling').map((listed) => tool(listed, calling)),
    terminations: new Map(of('termination').map((listed) => [listed.name, termination(listed, calling)])),
  };
}

const condition =
  (name: string, { sidecar, timeoutMs }: SidecarAccess): ConditionFunction =>
  async (text) =>
    (await sidecar.ask({ kind: 'edge', name, text }, { timeoutMs })) === true;

const processor =
  (name: string, { sidecar, timeoutMs }: SidecarAccess): ProcessorFunction =>
  async (text, _message, { run, node, workspace, signal }) => {
    const context = { run, node, workspace: workspace.directory };
    const answer = await sidecar.ask({ kind: 'edge_processor', name, text, context }, { timeoutMs, signal });
    return rewrittenBy(Changes.parse(answer));
  };

function rewrittenBy(changes: z.infer<typeof Changes>): ProcessorFunctionResult {
  if (changes === null || typeof changes === 'string') return changes;
  const { drop, content, metadata } = changes;
  return omitUndefined({ drop, content, metadata });
}

/** A function without a parameter for the context knows no folder, so its agents need no workspace. */
function tool(
  { name, module, description, parameters, takes_context, effect }: FunctionEntry,
  { sidecar }: SidecarAccess,
): ToolDefinition {
  const offer = { name, module, description, parameters, ...(effect == null ? {} : { effect }) };
  // The signal is aborted when the time is up that the tool's binding gives it.
  const call = (args: JsonSchema, signal: AbortSignal, context?: object) =>
    sidecar.ask({ kind: 'function_calling', name, args, ...(context && { context }) }, { signal });
  if (!takes_context) return defineTool<JsonSchema>({ ...offer, execute: (args, { signal }) => call(args, signal) });
  return defineTool<JsonSchema>({
    ...offer,
    workspace: true,
    execute: (args, { run, node, workspace, signal }) =>
      call(args, signal, { run, node, workspace: workspace.directory }),
  });
}

/** A function that has a parameter `state` keeps one, which is None when it begins. */
const termination = ({ name, keeps_state }: FunctionEntry, { sidecar }: SidecarAccess): TerminationFunction => ({
  ...(keeps_state ? { init: () => null } : {}),
  // The caller checks the value: only true, false and a verdict are valid.
  evaluate: (delta, state, { args, signal }) =>
    sidecar.ask({ kind: 'termination', name, delta, state: state ?? null, args }, { signal }) as Promise<boolean>,
});
