import type { ReadContext } from '@millrace/api';
import { Refused } from '@millrace/api';
import { linkedController } from '@millrace/catalog';
import type { Scope } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Server as McpServer } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { ZodError, z } from 'zod';
import { runTools } from './run-tools.ts';
import type { Tool } from './tool.ts';
import { schemaOf } from './tool.ts';
import { callWorkflow, workflowTools } from './workflow-tools.ts';

/** Whom a server speaks to, and what it works with. */
export interface McpOptions extends ReadContext {
  readonly scopes: readonly Scope[];
  readonly log: Logger;
  /** W3C `traceparent` of the request; absent: none. */
  readonly trace?: string | undefined;
  /** Aborted when the process ends: who waits is answered at once. */
  readonly closing: AbortSignal;
}

/**
 * A server of the Model Context Protocol for one caller. Each workflow that its tenant has published is a tool; runs that
 * take long are handles, which other tools wait for; and so are questions to people. Loads the protocol's package.
 */
export async function createMcpServer(options: McpOptions): Promise<McpServer> {
  const { Server } = await import('@modelcontextprotocol/server');
  const { tenant: space, log, closing } = options;
  const may = (scope: Scope) => options.scopes.includes(scope) || options.scopes.includes('admin');
  const tools = runTools(space);
  const server = new Server({ name: 'millrace', version: '1' }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', async ({ params }) => {
    const cursor = params?.cursor ?? '';
    const found = may('run') ? await workflowTools(options, cursor) : { tools: [] };
    const offered = cursor === '' ? tools.filter(({ scope }) => may(scope)).map(offeredOf) : [];
    return {
      tools: [...offered, ...found.tools],
      ...('next' in found && found.next !== undefined ? { nextCursor: found.next } : {}),
    };
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, { mcpReq }) => {
    const { signal, unlink } = linkedController(mcpReq.signal, closing);
    const tool = tools.find((one) => one.name === name);
    try {
      if (!may(tool?.scope ?? 'run')) throw refusalOf(tool?.scope ?? 'run');
      const value =
        tool === undefined
          ? await callWorkflow(options, name, { given, signal, trace: options.trace })
          : await called(tool, given, signal);
      if (value === undefined) throw new RequestError('TOOL_UNKNOWN', `There is no tool "${name}".`);
      const isError = value['status'] === 'failed';
      return { content: [{ type: 'text', text: JSON.stringify(value, null, 2) }], structuredContent: value, isError };
    } catch (error) {
      return { content: [{ type: 'text', text: textOf(error, log) }], isError: true };
    } finally {
      unlink();
    }
  });
  return server;
}

const instructions =
  'Tools that begin with run_ start durable runs of workflows. A run that takes longer than the call is a handle: call get_run with its runId. A run may ask people: list_tasks and answer_task.';

const offeredOf = ({ name, description, input }: Tool) => ({ name, description, inputSchema: schemaOf(input) });

const called = (tool: Tool, given: unknown, signal: AbortSignal) => tool.call(tool.input.parse(given ?? {}), signal);

const refusalOf = (scope: Scope): RequestError =>
  new RequestError('SCOPE_MISSING', `This needs a key with the scope "${scope}".`);

/** What the model is told of a call that went wrong. */
function textOf(error: unknown, log: Logger): string {
  if (error instanceof ZodError) return `The arguments are not right: ${z.prettifyError(error)} [REQUEST_INVALID]`;
  if (error instanceof RequestError) {
    const details =
      error instanceof Refused ? error.errors.map(({ detail, pointer }) => `\n${pointer}: ${detail}`) : [];
    return `${error.message} [${error.code}]${details.join('')}`;
  }
  log.error({ err: error }, 'a tool call failed');
  return 'Something went wrong here; the log of the server says what. [INTERNAL]';
}
