import type { ToolDefinition } from '@millrace/core';
import { didYouMean, singleLine } from '@millrace/core';
import { z } from 'zod';
import { fillArguments, pathArgumentProblems } from '../comparison/path-arguments.ts';
import { executeCode } from './execute-code.ts';
import { unavailableTools } from './unavailable.ts';
import { readWebpage } from './web/read-webpage.ts';

/*
 * Functions of the original engine that an installation maps to tools of MCP servers: those that need services or programs
 * which are not part of Millrace, and those that it replaces.
 */

const mappable = new Map([...unavailableTools, executeCode, readWebpage].map((tool) => [tool.name, tool]));

const MappedTool = z
  .strictObject({
    mcp: z.url({ protocol: /^https?$/, error: 'Write the URL of an MCP server (streamable HTTP).' }),
    tool: z.string({ error: 'Write the name of a tool of the server.' }).min(1),
    /** A text that starts with `$` is a JSONPath in the arguments of the function; absent: the same arguments. */
    arguments: z.record(z.string(), z.unknown()).optional(),
    /** Headers of each request; `${NAME}` is a variable of the worker. */
    headers: z.record(z.string(), z.string().regex(singleLine)).default({}),
    timeout: z.number().positive().max(86_400).default(30),
    effect: z.enum(['read', 'idempotent', 'once']).optional(),
  })
  .superRefine((mapped, context) => {
    for (const { name, message } of pathArgumentProblems(mapped.arguments ?? {}))
      context.addIssue({ code: 'custom', path: ['arguments', name], message });
  });

/** The file that `MILLRACE_TOOLS` names: functions of the original engine, and the tools of MCP servers that take their place. */
export const MappedTools = z.record(z.string(), MappedTool).superRefine((tools, context) => {
  for (const name of Object.keys(tools)) {
    if (mappable.has(name)) continue;
    const hint = didYouMean(name, mappable.keys());
    const names = [...mappable.keys()].join(', ');
    context.addIssue({
      code: 'custom',
      path: [name],
      message: `No such function can be mapped. ${hint ?? `These can: ${names}.`} Bind other tools in the workflow, with \`type: mcp_remote\`.`,
    });
  }
});
export type MappedTools = z.infer<typeof MappedTools>;

/** Functions that change nothing, whatever serves them. */
const readers: ReadonlySet<string> = new Set(['web_search', 'read_webpage_content']);

/** Returns the functions that a file maps to tools of MCP servers, under their own names. */
export const mappedTools = (tools: MappedTools): readonly ToolDefinition[] =>
  Object.entries(tools).flatMap(([name, mapped]): ToolDefinition[] => {
    const stub = mappable.get(name);
    if (stub === undefined) return [];
    const { module, description, parameters } = stub;
    const effect = mapped.effect ?? (readers.has(name) ? 'read' : undefined);
    const { arguments: written } = mapped;
    return [
      {
        name,
        description,
        parameters,
        ...(module === undefined ? {} : { module }),
        ...(effect === undefined ? {} : { effect }),
        served: {
          server: { type: 'remote', url: mapped.mcp, headers: mapped.headers, timeoutSeconds: mapped.timeout },
          tool: mapped.tool,
          ...(written === undefined ? {} : { argumentsOf: (args) => fillArguments(written, args) }),
        },
      },
    ];
  });
