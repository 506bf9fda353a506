import type { Host, McpServer, ToolAnnotations, ToolEffect } from '@millrace/core';
import { NodeError, omitUndefined } from '@millrace/core';
import { fillArguments } from '../../../comparison/path-arguments.ts';
import type { BoundTool, UnknownOutcome } from './bound-tool.ts';
import { defaultTimeoutSeconds, exposedName, idempotencyMeta, serverEffect, serverName } from './bound-tool.ts';
import type { EffectFields, WrittenEffect } from './effects-config.ts';
import { writtenEffect } from './effects-config.ts';
import type { Functions } from './function-tools.ts';
import { functionTools } from './function-tools.ts';
import type { ToolHints } from './tool-policy.ts';
import { createPolicyJudge } from './tool-policy.ts';
import type { ToolBinding } from './tooling-config.ts';

/** Tools of an agent by the names under which its model calls them, in the order of its configuration. */
export type Toolbox = ReadonlyMap<string, BoundTool>;

/** Collects the tools that `tooling` binds; requests the lists of servers. */
export async function openToolbox(
  bindings: readonly ToolBinding[],
  context: { readonly functions: Functions; readonly host: Host },
): Promise<Toolbox> {
  const found: BoundTool[] = [];
  for (const binding of bindings) {
    const bound = binding.type === 'function' ? functionTools(binding, context) : await mcpTools(binding, context.host);
    const tools = withEffects(bound, binding, context.host.node);
    const server = omitUndefined({ server: serverNameOf(binding) });
    for (const tool of guarded(tools, binding, context.host)) found.push({ ...tool, ...server });
  }
  return toolsByName(found, context.host.node);
}

/** A tool of a server, with what the server says about it. */
type HintedTool = BoundTool & { readonly annotations?: ToolAnnotations };

/** Returns the tools of an entry with the policies that decide about their calls. */
function guarded(tools: readonly HintedTool[], binding: ToolBinding, host: Host): readonly BoundTool[] {
  const policies = host.toolPolicies;
  const own = binding.policy ?? [];
  if (own.length === 0 && policies.graphs.length === 0 && policies.operator.length === 0) return tools;
  const judge = createPolicyJudge(own, policies);
  return tools.map(({ annotations = {}, ...tool }): BoundTool => {
    const effect = effectOf(tool.work);
    const trusted = binding.type !== 'function' && binding.trust_annotations;
    const hints: ToolHints =
      binding.type === 'function' ? { of: 'function', effect } : { of: 'server', annotations, trusted };
    const judged = { name: tool.name, exposed: tool.spec.name, hints };
    return { ...tool, guard: { decide: (args) => judge(judged, args) } };
  });
}

/** Returns the effect of a tool: a question to a person changes nothing, and a program may do anything. */
function effectOf(work: BoundTool['work']): ToolEffect {
  if (work.type === 'action') return work.effect;
  return work.type === 'program' ? 'once' : 'read';
}

/** Returns the name of an entry's server, with the prefix that tells entries of one server from each other; undefined for functions. */
function serverNameOf(binding: ToolBinding): string | undefined {
  if (binding.type === 'function') return undefined;
  const name = serverName(serverOf(binding));
  return binding.prefix ? `${name} (${binding.prefix})` : name;
}

/** Returns the tools of an entry with what the entry says about their effects. */
function withEffects(bound: readonly HintedTool[], fields: EffectFields, node: string): readonly HintedTool[] {
  const reader = (name: string): BoundTool => {
    const tool = bound.find((one) => one.name === name && one.work.type === 'action');
    if (tool !== undefined) return tool;
    throw new NodeError(
      'TOOL_UNKNOWN',
      `Agent "${node}" has no tool "${name}" in the entry whose \`on_unknown\` names it in \`verify\`.`,
    );
  };
  return bound.map((tool) => {
    const { effect, rule } = writtenEffect(tool.name, fields);
    if (tool.work.type !== 'action' || (effect === undefined && rule === undefined)) return tool;
    const onUnknown = rule === undefined ? undefined : outcomeOf(rule, reader);
    return { ...tool, work: { ...tool.work, ...omitUndefined({ effect, onUnknown }) } };
  });
}

function outcomeOf(rule: NonNullable<WrittenEffect['rule']>, reader: (name: string) => BoundTool): UnknownOutcome {
  if (typeof rule === 'string') return { rule };
  const { tool, arguments: written } = rule.verify;
  return { rule: 'verify', tool: reader(tool), argumentsOf: (args) => fillArguments(written, args) };
}

/** Returns tools by name. Throws if two have the same name, because a call would be ambiguous. */
export function toolsByName(tools: readonly BoundTool[], node: string): Toolbox {
  const box = new Map<string, BoundTool>();
  for (const tool of tools) {
    const { name } = tool.spec;
    if (box.has(name)) {
      throw new NodeError(
        'TOOL_DUPLICATE',
        `Agent "${node}" has two tools with the name "${name}". Give one of their entries a \`prefix\`.`,
      );
    }
    box.set(name, tool);
  }
  return box;
}

type McpBinding = Exclude<ToolBinding, { type: 'function' }>;

const defaultRequestSeconds = 10;
const defaultStartSeconds = 10;

/**
 * Returns the tools of an MCP server. Their list is journaled: an attempt after a crash offers the model the same
 * tools.
 */
async function mcpTools(binding: McpBinding, host: Host): Promise<HintedTool[]> {
  const server = serverOf(binding);
  const connection = host.mcp(server);
  const tools = await host.step('list tools', binding, () => connection.tools(), 'none');
  const keyName = binding.idempotency_meta ?? idempotencyMeta;
  return tools.map(
    ({ annotations, ...tool }): HintedTool => ({
      ...omitUndefined({ annotations }),
      spec: { ...tool, name: exposedName(tool.name, binding.prefix) },
      name: tool.name,
      origin: 'tooling',
      work: {
        type: 'action',
        timeoutSeconds: server.type === 'remote' ? server.timeoutSeconds : defaultTimeoutSeconds,
        effect: hintedEffect(binding.trust_annotations ? annotations : undefined) ?? serverEffect(host),
        run: (args, { key, signal, emit }) =>
          connection.call(tool.name, args, { signal, emit, meta: { [keyName]: key } }),
      },
    }),
  );
}

/** Returns the effect that the hints of a server promise; undefined if they promise none. */
function hintedEffect(hints: ToolAnnotations | undefined): ToolEffect | undefined {
  if (hints?.readOnlyHint === true) return 'read';
  return hints?.idempotentHint === true ? 'idempotent' : undefined;
}

function serverOf(binding: McpBinding): McpServer {
  if (binding.type === 'mcp_remote') {
    const { server, headers, timeout } = binding.config;
    return { type: 'remote', url: server, headers: texts(headers), timeoutSeconds: timeout ?? defaultRequestSeconds };
  }
  const { command, args, cwd, env, inherit_env, startup_timeout } = binding.config;
  return {
    type: 'local',
    command,
    args: (args ?? []).map(String),
    ...(cwd ? { cwd } : {}),
    env: texts(env),
    inheritEnv: inherit_env,
    startupTimeoutSeconds: startup_timeout ?? defaultStartSeconds,
  };
}

const texts = (values: Readonly<Record<string, unknown>> | null | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]));
