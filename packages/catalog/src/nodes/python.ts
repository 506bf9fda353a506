import type { Host, Message, ProgramRun } from '@millrace/core';
import {
  argumentText,
  completed,
  defineNode,
  encodingLabel,
  isEncoding,
  NodeError,
  omitUndefined,
  singleLine,
  textMessage,
  textOf,
  variableName,
  variableNameAdvice,
} from '@millrace/core';
import { z } from 'zod';
import { fencedBlocks } from '../regex/fenced-blocks.ts';

/** First line of the output of a failed program; the functions `code_pass` and `code_fail` look for it. */
const failureMark = '==CODE EXECUTION FAILED==';

const Value = z.union([z.string().regex(argumentText), z.number(), z.boolean()], {
  error: 'Write a text, a number, true or false.',
});

/** Configuration of a `python` node. */
export const PythonConfig = z.object({
  interpreter: z
    .string({ error: 'Write the name or the path of a program, such as `interpreter: python3`.' })
    .min(1, { error: 'Write the name or the path of a program, such as `interpreter: python3`.' })
    .regex(singleLine)
    .nullish()
    .describe('Name or path of the Python interpreter; python3 of the worker if omitted.'),
  args: z
    .array(Value, { error: 'Write a list, such as `args: [-O]`.' })
    .nullish()
    .describe('Arguments between the interpreter and the script.'),
  env: z
    .record(z.string().regex(variableName, { error: variableNameAdvice }), Value, {
      error: 'Write a mapping of names to values.',
    })
    .nullish()
    .describe('Environment variables of the program. Of those of the worker it has only PATH, HOME and LANG.'),
  timeout_seconds: z
    .int({ error: 'Write a whole number of seconds.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(60)
    .describe('Time limit of the program, in seconds.'),
  encoding: z
    .string({ error: 'Write the name of an encoding, such as utf-8.' })
    .regex(singleLine)
    .refine(isEncoding, { error: 'Write the name of an encoding, such as utf-8.' })
    .default('utf-8')
    .describe('Encoding of the output of the program.'),
});

type Config = z.infer<typeof PythonConfig>;

/** Node type that runs the program in its input. A failed program does not fail the node: its error is the output. */
export const python = defineNode({
  type: 'python',
  aliases: ['python_runner'],
  summary: 'Runs the Python program in its input and emits what it prints.',
  config: PythonConfig,
  secrets: ['env'],
  usesWorkspace: () => true,
  traits: { speaks: true },
  async execute(config, input, host) {
    const last = input.at(-1);
    const script = last === undefined ? '' : extractProgram(textOf(last));
    const output = script === '' ? failure('No executable code segment found') : await run(config, script, host);
    return completed([{ ...textMessage('assistant', output.content, host.node), ...metadata(output.facts) }]);
  },
});

interface Output {
  readonly content: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const metadata = (facts: Output['facts']): Pick<Message, 'metadata'> =>
  Object.keys(facts).length === 0 ? {} : { metadata: facts };

async function run(config: Config, script: string, host: Host): Promise<Output> {
  const interpreter = config.interpreter ?? 'python3';
  const ran = await host.runProgram({
    interpreter,
    args: (config.args ?? []).map(pythonText),
    env: Object.fromEntries(Object.entries(config.env ?? {}).map(([name, value]) => [name, pythonText(value)])),
    timeoutSeconds: config.timeout_seconds,
    encoding: encodingLabel(config.encoding),
    script,
  });
  const facts = { workspace: ran.workspace, script_path: ran.script };
  switch (ran.end.type) {
    case 'exited':
      if (ran.end.code === 0) return { content: ran.stdout, facts };
      return failure('Script execution failed', { facts, code: ran.end.code, stderr: ran.stderr });
    case 'timed out':
      // Its output so far replaces the errors, as in the original engine.
      return failure(`Script did not finish within ${config.timeout_seconds}s`, { facts, stderr: ran.stdout });
    case 'missing':
      if (!config.interpreter) throw pythonMissing(host.node);
      return failure(`Interpreter ${interpreter} not found`, { facts });
  }
}

interface Details {
  readonly facts?: Output['facts'];
  readonly code?: number;
  readonly stderr?: ProgramRun['stderr'];
}

function failure(what: string, { facts = {}, code, stderr = '' }: Details = {}): Output {
  const lines = [failureMark, what];
  if (code !== undefined) lines.push(`exit_code=${code}`);
  if (stderr !== '') lines.push(`stderr:\n${stderr}`);
  return {
    content: lines.join('\n'),
    facts: {
      ...facts,
      ...omitUndefined({ exit_code: code }),
      ...(stderr === '' ? {} : { stderr }),
    },
  };
}

const pythonMissing = (node: string): NodeError =>
  new NodeError(
    'PYTHON_MISSING',
    `Node "${node}" cannot run: the machine of the worker has no python3. Install Python 3 there, or name another program under \`interpreter\`.`,
  );

/** Returns a value as Python's `str()` does. */
const pythonText = (value: z.infer<typeof Value>): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);

/** A fence behind which there is the name of a language at most, as in the original engine. */
const opening = /```[A-Za-z0-9_+-]*\s*\n/g;

/**
 * Returns the program in a text: the first fenced block of any language, or else the whole text, without common
 * indentation.
 */
export function extractProgram(text: string): string {
  const [first = text] = fencedBlocks(text, opening);
  return dedent(first).trim();
}

/** Removes the whitespace that all lines begin with; blank lines do not count. */
function dedent(text: string): string {
  const lines = text.split('\n').map((line) => (/^[ \t]*$/.test(line) ? '' : line));
  const margins = lines.filter((line) => line !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const margin = margins.reduce(commonStart, margins[0] ?? '');
  return lines.map((line) => line.slice(margin.length)).join('\n');
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
