import type { Host } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { BoundTool } from './bound-tool.ts';
import type { Functions } from './function-tools.ts';
import { functionTools } from './function-tools.ts';
import { mcpTools } from './mcp-tools.ts';
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
