import { createHash } from 'node:crypto';
import type {
  Host,
  Message,
  OnceTerms,
  Program,
  StepAction,
  ToolAnswer,
  ToolCall,
  UnknownRule,
  Wait,
} from '@millrace/core';
import { CallLost, NodeError, textOf } from '@millrace/core';
import { startDeadline } from '../../../deadlines/deadline.ts';
import { flatten } from '../../flatten.ts';
import type { BoundTool, ToolArguments, ToolCallAttempt } from './bound-tool.ts';
import { decideUnknown, unknownAnswer } from './unknown-outcome.ts';

/** Result of a call: an answer, or a question without an answer yet. */
export type ToolCallResult =
  /** `end`: the conversation ends with the message that this function makes of the model's last one. */
  | { readonly type: 'answered'; readonly answer: ToolAnswer; readonly end?: (message: Message) => Message }
  | { readonly type: 'suspended'; readonly wait: Wait };

/** Context of a call. */
export interface ToolCallContext {
  readonly tool: BoundTool;
  readonly host: Host;
  /** Input of the agent, for people who are asked. */
  readonly input: readonly Message[];
  /** Number of the call in the activation, from 1. */
  readonly place: number;
}

type Action = Extract<BoundTool['work'], { type: 'action' }>;

/** Executes a call of a model. An error of the tool is its answer, so that the model can react. */
export async function callTool(call: ToolCall, calling: ToolCallContext): Promise<ToolCallResult> {
  const { tool, host } = calling;
  const args = readArguments(call, host.compat);
  if (args === undefined)
    return answered(failed(call.name, `the arguments are not a JSON object: ${start(call.arguments)}`, host));
  const { work } = tool;
  if (work.type === 'end')
    return { type: 'answered', answer: { content: work.answer }, end: (message) => work.message(message, args) };
  if (work.type === 'question') return askQuestion(call, calling, { args, work });
  if (work.type === 'program') return answered(await runProgram(call, { host, work, args }));
  const { onUnknown: policy = { rule: 'tell' } } = work;
  const execute = () => executeCall(call, calling, { args, work });
  for (let answer = await execute(); ; answer = await execute()) {
    if (answer.unknown === undefined) return answered(answer);
    const decided = await decideUnknown({ call, args, answer, policy, host, input: calling.input, check });
    if (decided.type !== 'again') return decided;
  }

  async function check(reader: BoundTool, given: ToolArguments): Promise<ToolAnswer> {
    if (reader.work.type !== 'action') throw new Error(`"${reader.name}" cannot verify a call`); // the readers of the entry see to it
    const asking: ToolCall = { id: call.id, name: reader.spec.name, arguments: JSON.stringify(given) };
    return executeCall(asking, calling, { args: given, work: reader.work });
  }
}

interface ProgramCall {
  readonly host: Host;
  readonly work: Extract<BoundTool['work'], { type: 'program' }>;
  readonly args: ToolArguments;
}

/** Runs a program for a call. Arguments and results that cannot be used are errors for the model; a refusal fails the node. */
async function runProgram(call: ToolCall, { host, work, args }: ProgramCall): Promise<ToolAnswer> {
  const told = (error: unknown): ToolAnswer => failed(call.name, messageOf(error), host);
  let program: Program;
  try {
    program = work.program(args);
  } catch (error) {
    return told(error);
  }
  const ran = await host.runProgram(program);
  try {
    return work.answer(ran);
  } catch (error) {
    return told(error);
  }
}

/** Executes an action in a step; its answer says so if its outcome is unknown. */
async function executeCall(
  call: ToolCall,
  calling: ToolCallContext,
  { args, work }: { args: ToolArguments; work: Action },
): Promise<ToolAnswer> {
  const { host } = calling;
  const key = keyOf(call, calling);
  const once = work.effect === 'once' ? onceTerms(work.onUnknown?.rule ?? 'tell') : undefined;
  const action = async (doing: StepAction): Promise<ToolAnswer> => {
    // Not within the attempt: files that cannot be brought are no error of the tool.
    const workspace = work.usesWorkspace ? await host.openWorkspace() : undefined;
    return attempt(call, { args, work }, { ...doing, key, workspace, compat: host.compat, unknown: once?.unknown });
  };
  return host.step(`tool ${call.name}`, { name: call.name, arguments: call.arguments }, action, once);
}

/** A call that does not answer is not repeated by the attempt that made it: the model is told in place of it. */
const onceTerms = (rule: UnknownRule): OnceTerms<ToolAnswer> => ({
  rule,
  unknown: unknownAnswer(rule === 'repeat' ? 'tell' : rule),
});

/**
 * Returns the idempotency key of a call. It contains a hash of what is called, not only the call's place in the run: after
 * a backup is restored, the run can make another call at the same place.
 */
function keyOf({ name, arguments: args }: ToolCall, { host, place }: ToolCallContext): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('hex')
    .slice(0, 16);
  return `${host.run}.${host.activation}.${place}.${hash}`;
}

const answered = (answer: ToolAnswer): ToolCallResult => ({ type: 'answered', answer });

/** Maximum length of an error that a model reads, in characters: a server may send a whole page. */
const longestError = 10_000;

/** Returns the answer of a call that failed; the original engine does not name the tool in what it sends. */
function failed(name: string, message: string, { compat }: Pick<Host, 'compat'>): ToolAnswer {
  const text = message.length > longestError ? `${message.slice(0, longestError)}…` : message;
  return { content: compat ? `error: ${text}` : `Tool ${name} error: ${text}`, failed: true };
}

/** Parses the arguments. The original engine uses an empty object for everything that is not one. */
function readArguments({ arguments: written }: ToolCall, compat: boolean): ToolArguments | undefined {
  if (written.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(written);
    if (isObject(value)) return value;
  } catch {
    // The model's text need not be JSON.
  }
  return compat ? {} : undefined;
}

const isObject = (value: unknown): value is ToolArguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const start = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

async function askQuestion(
  call: ToolCall,
  { host, input }: ToolCallContext,
  { args, work }: { args: ToolArguments; work: Extract<BoundTool['work'], { type: 'question' }> },
): Promise<ToolCallResult> {
  let prompt: string;
  try {
    prompt = work.text(args);
  } catch (error) {
    return answered(failed(call.name, messageOf(error), host));
  }
  const wait: Wait = { kind: 'human', prompt, input: flatten(input) };
  const answer = await host.ask(wait);
  return answer === undefined ? { type: 'suspended', wait } : answered({ content: textOf(answer) });
}

interface AttemptTerms extends Pick<Host, 'compat'> {
  /** Answer of a call that may have taken effect although no result came; absent: it is an error of the tool. */
  readonly unknown: ToolAnswer | undefined;
}

async function attempt(
  call: ToolCall,
  { args, work }: { args: ToolArguments; work: Action },
  { compat, unknown, ...attempted }: ToolCallAttempt & AttemptTerms,
): Promise<ToolAnswer> {
  const { signal } = attempted;
  const limit = startDeadline(work.timeoutSeconds * 1000, signal);
  try {
    // A tool that ignores the signal is abandoned.
    return await Promise.race([work.run(args, { ...attempted, signal: limit.signal }), abortOf(limit.signal)]);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NodeError && beyondModels.has(error.code)) throw error;
    if (unknown !== undefined && (limit.expired || error instanceof CallLost)) return unknown;
    const late = limit.expired ? `it did not finish within ${work.timeoutSeconds} s` : messageOf(error);
    return failed(call.name, late, { compat });
  } finally {
    limit.clear();
  }
}

/** Codes of errors that a model cannot correct. */
const beyondModels: ReadonlySet<string> = new Set(['SECRET_MISSING', 'MCP_REPLY_TOO_LARGE', 'PYTHON_REPLY_INVALID']);

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
