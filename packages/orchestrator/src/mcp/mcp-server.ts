import type { Operation, OperatorContext, Tool } from '@millrace/api';
import { assertScope, call, hasScope, operations, Refused } from '@millrace/api';
import { linkedController } from '@millrace/catalog';
import { describeIssues, RequestError } from '@millrace/core';
import type { Server as McpServer } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { ZodError } from 'zod';
import type { OfferedTool } from './tool.ts';
import { schemaOf } from './tool.ts';
import { callWorkflow, workflowTools } from './workflow-tools.ts';

/** Options of an MCP server. */
export interface McpOptions {
  /** Returns the context of a call of the one caller; `signal` is aborted when the caller cancels. */
  readonly contextFor: (signal: AbortSignal) => OperatorContext;
  readonly log: Logger;
  /** Aborted when the process ends: calls that wait are answered at once. */
  readonly closing: AbortSignal;
}

/**
 * Returns a server of the Model Context Protocol for one caller. Each published workflow of its tenant is a tool; runs
 * that take long return handles, which other tools wait for, as do questions to people. Loads the protocol's package.
 */
export async function createMcpServer({ contextFor, log, closing }: McpOptions): Promise<McpServer> {
  const { Server } = await import('@modelcontextprotocol/server');
  const server = new Server({ name: 'millrace', version: '1' }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', async ({ params }) => {
    const cursor = params?.cursor ?? '';
    const context = contextFor(closing);
    const found = hasScope(context, 'run') ? await workflowTools(context, cursor) : { tools: [] };
    const offered = cursor === '' ? operationTools.filter(({ scope }) => hasScope(context, scope)).map(offeredOf) : [];
    return {
      tools: [...offered, ...found.tools],
      ...('next' in found && found.next !== undefined ? { nextCursor: found.next } : {}),
    };
  });
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, { mcpReq }) => {
    const { signal, unlink } = linkedController(mcpReq.signal, closing);
    const operation = operationTools.find(({ tool }) => tool.name === name);
    try {
      const context = contextFor(signal);
      assertScope(context, operation?.scope ?? 'run');
      const value =
        operation === undefined
          ? await callWorkflow(context, name, given)
          : await callOperation(operation, context, given);
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

/** Returns the text of an error for the model. */
function textOf(error: unknown, log: Logger): string {
  if (error instanceof ZodError)
    return `The arguments are not valid: ${describeIssues(error.issues)} [REQUEST_INVALID]`;
  if (error instanceof RequestError) {
    const details =
      error instanceof Refused ? error.errors.map(({ detail, pointer }) => `\n${pointer}: ${detail}`) : [];
    return `${error.message} [${error.code}]${details.join('')}`;
  }
  log.error({ err: error }, 'a tool call failed');
  return 'The server had an internal error; its log has the details. [INTERNAL]';
}

/** An operation that is offered as a tool. */
interface OfferedOperation extends Operation {
  readonly tool: Tool;
}

/** All operations that are tools, in the order of their list. */
const operationTools: readonly OfferedOperation[] = operations.filter(
  (operation): operation is OfferedOperation => operation.tool !== undefined,
);

/** Returns the description of an operation as a tool. */
const offeredOf = ({ tool: { name, description, input } }: OfferedOperation): OfferedTool => ({
  name,
  description,
  inputSchema: schemaOf(input),
});

/** Calls an operation with the arguments of its tool. Throws RequestError, or ZodError for invalid arguments. */
async function callOperation(
  operation: OfferedOperation,
  context: OperatorContext,
  given: unknown,
): Promise<Record<string, unknown>> {
  const { tool } = operation;
  return tool.result(await call(operation, context, tool.request(tool.input.parse(given ?? {}))));
}
