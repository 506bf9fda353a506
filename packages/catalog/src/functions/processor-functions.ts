import type { EdgeHost, Message } from '@millrace/core';
import { codeSaveAndRun } from './code-save-and-run.ts';

/** Result of a processor function: a new text, changes to the message, or null to drop it. */
export type ProcessorFunctionResult =
  | string
  | null
  | { readonly drop?: boolean; readonly content?: string; readonly metadata?: Readonly<Record<string, unknown>> };

/**
 * A function that edge processors can name. The text is that of the message; the host runs programs and has the files.
 */
export type ProcessorFunction = (
  text: string,
  message: Message,
  host: EdgeHost,
) => ProcessorFunctionResult | Promise<ProcessorFunctionResult>;

/** Returns the text in upper case. */
export const uppercasePayload: ProcessorFunction = (text) => text.toUpperCase();

/** The functions that edge processors can always name. */
export const builtInProcessorFunctions: ReadonlyMap<string, ProcessorFunction> = new Map<string, ProcessorFunction>([
  ['uppercase_payload', uppercasePayload],
  ['code_save_and_run', (text, _message, host) => codeSaveAndRun(text, host)],
]);
