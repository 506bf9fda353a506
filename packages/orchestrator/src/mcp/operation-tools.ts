import type { Operation, OperatorContext, Tool } from '@millrace/api';
import { call, operations } from '@millrace/api';
import type { OfferedTool } from './tool.ts';
import { schemaOf } from './tool.ts';

/** An operation that is offered as a tool. */
interface OfferedOperation extends Operation {
  readonly tool: Tool;
}

/** All operations that are tools, in the order of their list. */
export const operationTools: readonly OfferedOperation[] = operations.filter(
  (operation): operation is OfferedOperation => operation.tool !== undefined,
);

/** Returns the description of an operation as a tool. */
export const offeredOf = ({ tool: { name, description, input } }: OfferedOperation): OfferedTool => ({
  name,
  description,
  inputSchema: schemaOf(input),
});

/** Calls an operation with the arguments of its tool. Throws RequestError, or ZodError for invalid arguments. */
export async function callOperation(
  operation: OfferedOperation,
  context: OperatorContext,
  given: unknown,
): Promise<Record<string, unknown>> {
  const { tool } = operation;
  return tool.result(await call(operation, context, tool.request(tool.input.parse(given ?? {}))));
}
