import { startDeadline } from '@millrace/catalog';
import type { ServerTool } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { McpBound } from './mcp-bound.ts';
import { toolListLimits } from './mcp-bound.ts';

/** A page of the list. Its entries are checked when it is known that there are not too many. */
const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
type Page = z.infer<typeof Page>;

const Tool = z.object({
  name: z.string(),
  description: z.string().default(''),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .object({
      readOnlyHint: z.boolean().exactOptional(),
      destructiveHint: z.boolean().exactOptional(),
      idempotentHint: z.boolean().exactOptional(),
    })
    .exactOptional()
    // Hints that cannot be read are none.
    .catch({}),
});

/**
 * Returns the tools of a connected server, from all pages of its list. All pages together must arrive within the timeout.
 * The SDK would hold 64 pages of any size, and compile the output schemas of a server, with its regular expressions.
 */
export async function listMcpTools(
  { client, bound }: { readonly client: Client; readonly bound: McpBound },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly ServerTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const list = createToolList(bound);
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page: Page = await bound.within(deadline.signal, (within) =>
        client.request({ method: 'tools/list', params }, Page, { timeout: timeoutMs, signal: within }),
      );
      cursor = list.add(page, cursor);
    } while (cursor !== undefined);
    return list.tools;
  } finally {
    deadline.clear();
  }
}

/** Collects pages up to the limits of the list. */
function createToolList(bound: McpBound) {
  const tools: ServerTool[] = [];
  let [characters, pages, last] = [0, 0, ''];
  return {
    tools,
    /** Adds the page that a cursor named; returns the cursor of the next one. */
    add({ tools: more, nextCursor }: Page, cursor: string | undefined): string | undefined {
      pages++;
      if (tools.length + more.length > toolListLimits.tools)
        throw bound.exceed(`has more than ${toolListLimits.tools.toLocaleString('en')} tools`);
      const text = JSON.stringify(more);
      // A server that does not understand cursors sends the same page again and again.
      if (nextCursor !== undefined && nextCursor === cursor && text === last) return undefined;
      characters += text.length;
      if (characters > toolListLimits.characters)
        throw bound.exceed(
          `describes its tools in more than ${toolListLimits.characters.toLocaleString('en')} characters`,
        );
      if (nextCursor !== undefined && pages === toolListLimits.pages)
        throw bound.exceed(`lists its tools on more than ${toolListLimits.pages} pages`);
      for (const { name, description, inputSchema, annotations } of z.array(Tool).parse(more))
        tools.push({ name, description, parameters: inputSchema, ...omitUndefined({ annotations }) });
      last = text;
      return nextCursor;
    },
  };
}
