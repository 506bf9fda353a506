import type { Host, McpServer, ModelTool } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { BoundTool } from './bound-tool.ts';
import { defaultTimeoutSeconds, exposedName } from './bound-tool.ts';
import type { Functions } from './function-tools.ts';
import { functionTools } from './function-tools.ts';
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
    const tools = binding.type === 'function' ? functionTools(binding, context) : await mcpTools(binding, context.host);
    for (const tool of tools) found.push(tool);
  }
  return toolsByName(found, context.host.node);
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
async function mcpTools(binding: McpBinding, host: Host): Promise<BoundTool[]> {
  const server = serverOf(binding);
  const connection = host.mcp(server);
  const tools = await host.step('list tools', binding, (): Promise<readonly ModelTool[]> => connection.tools(), 'none');
  return tools.map(
    (tool): BoundTool => ({
      spec: { ...tool, name: exposedName(tool.name, binding.prefix) },
      name: tool.name,
      origin: 'tooling',
      work: {
        type: 'action',
        timeoutSeconds: server.type === 'remote' ? server.timeoutSeconds : defaultTimeoutSeconds,
        run: (args, place) => connection.call(tool.name, args, place),
      },
    }),
  );
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
