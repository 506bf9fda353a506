import type { Host } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { BoundTool } from './bound-tool.ts';
import type { Functions } from './function-tools.ts';
import { functionTools } from './function-tools.ts';
import { mcpTools } from './mcp-tools.ts';
import type { ToolBinding } from './tooling-config.ts';

/** The tools of an agent by the names that its model knows them by, in the order of its configuration. */
export type Toolbox = ReadonlyMap<string, BoundTool>;

/** Gathers the tools that `tooling` binds; asks servers for what they have. */
export async function openToolbox(
  bindings: readonly ToolBinding[],
  around: { readonly functions: Functions; readonly host: Host },
): Promise<Toolbox> {
  const found: BoundTool[] = [];
  for (const binding of bindings) {
    const tools = binding.type === 'function' ? functionTools(binding, around) : await mcpTools(binding, around.host);
    for (const tool of tools) found.push(tool);
  }
  return toolsByName(found, around.host.node);
}

/** Tools by name. Two of the same name would leave the model, and everybody else, in the dark about which one is meant. */
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
