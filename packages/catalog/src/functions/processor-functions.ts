import type { EdgeHost, Message, ProgramFiles, ProgramRun } from '@millrace/core';

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

const limitSeconds = 3;
const success = 'The software run successfully without errors.';
/** The fence after a line with the name of a file, and the one after its content. */
const opening = /\n```(?:python)?\n/g;
const closing = '\n```';

/**
 * Writes the files in a text to the workspace, replacing everything but attachments, runs `main.py`, and returns the
 * files and the result. A text without files is returned unchanged.
 */
export async function codeSaveAndRun(text: string, host: Pick<EdgeHost, 'runProgram'>): Promise<string> {
  const files = filesIn(text);
  if (files.length === 0) return text;
  const ran = await host.runProgram({
    interpreter: 'python3',
    args: [],
    env: { PYTHONUNBUFFERED: '1' },
    timeoutSeconds: limitSeconds,
    encoding: 'utf-8',
    script: { files, main: 'main.py' },
  });
  return `${files.map(listing).join('\n')}\n\n${resultOf(ran)}`;
}

/** Returns the files in a text, in linear time: one pattern for all of it would be tried at each character of a line. */
function filesIn(text: string): ProgramFiles['files'] {
  const files: { path: string; text: string }[] = [];
  let position = 0;
  for (;;) {
    opening.lastIndex = position;
    const found = opening.exec(text);
    if (found === null) return files;
    const name = text.slice(Math.max(position, text.lastIndexOf('\n', found.index - 1) + 1), found.index);
    const start = found.index + found[0].length;
    const end = text.indexOf(closing, start);
    if (name === '') position = found.index + 1;
    else if (end < 0) return files;
    else {
      files.push({ path: name.trim(), text: text.slice(start, end) });
      position = end + closing.length;
    }
  }
}

const listing = ({ path, text }: ProgramFiles['files'][number]): string => `${path}\n\`\`\`python\n${text}\n\`\`\``;

/**
 * Returns the result as text. A program that still runs after the time limit, such as a game, has succeeded if it has
 * printed no error.
 */
function resultOf({ end, stdout, stderr, workspace }: ProgramRun): string {
  if (end.type === 'missing') return 'Error: there is no python3 where the worker runs';
  const isGood = (end.type === 'exited' && end.code === 0) || stderr.trim() === '';
  if (isGood) return [stdout.trim(), success].filter((part) => part !== '').join('\n\n');
  return stderr.toLowerCase().includes('traceback') ? stderr.replaceAll(workspace, '') : stderr;
}
