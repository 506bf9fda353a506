import type { Host, McpServer, ModelTool } from '@millrace/core';
import type { BoundTool } from './bound-tool.ts';
import { defaultTimeoutSeconds, exposedName } from './bound-tool.ts';
import type { ToolBinding } from './tooling-config.ts';

type McpBinding = Exclude<ToolBinding, { type: 'function' }>;

const defaultRequestSeconds = 10;
const defaultStartSeconds = 10;

/**
 * Returns the tools of an MCP server. Their list is journaled: an attempt after a crash offers the model the same
 * tools.
 */
export async function mcpTools(binding: McpBinding, host: Host): Promise<BoundTool[]> {
  const server = serverOf(binding);
  const connection = host.mcp(server);
  const tools = await host.step('list tools', binding, (): Promise<readonly ModelTool[]> => connection.tools());
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
