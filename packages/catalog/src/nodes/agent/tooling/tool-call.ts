import { createHash } from 'node:crypto';
import type {
  AskedCall,
  CallToApprove,
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
import { CallLost, CallUndecided, isTooDeep, NodeError, omitUndefined, textOf } from '@millrace/core';
import { inexactNumber } from '@millrace/core/exact-numbers';
import { startDeadline } from '../../../deadlines/deadline.ts';
import { unreadable } from '../../../schema/unreadable.ts';
import { flatten } from '../../flatten.ts';
import { callToApprove, deniedAnswer, rejectedAnswer, withSentArguments } from './asked-call.ts';
import type { BoundTool, ToolArguments, ToolCallAttempt, UnknownOutcome } from './bound-tool.ts';
import type { PolicyDecision } from './tool-policy.ts';
import { decideUnknown, unknownAnswer } from './unknown-outcome.ts';

/** Result of a call: an answer, or a question without an answer yet. */
export type ToolCallResult =
  /** `end`: the conversation ends with the message that this function makes of the model's last one. */
  | { readonly type: 'answered'; readonly answer: ToolAnswer; readonly end?: (message: Message) => Message }
  | { readonly type: 'suspended'; readonly wait: Wait }
  /** A person must decide on the call. */
  | { readonly type: 'undecided'; readonly call: AskedCall };

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
type ProgramWork = Extract<BoundTool['work'], { type: 'program' }>;

/** Executes a call of a model. An error of the tool is its answer, so that the model can react. */
export async function callTool(call: ToolCall, calling: ToolCallContext): Promise<ToolCallResult> {
  const { tool, host } = calling;
  const read = readArguments(call, host.compat);
  if (read.type === 'unusable') return answered(failed(call.name, read.problem, host));
  const { args } = read;
  const { work } = tool;
  if (work.type === 'end')
    return { type: 'answered', answer: { content: work.answer }, end: (message) => work.message(message, args) };
  const judged = await judge(tool, args);
  if (work.type === 'question')
    return judged.do === 'deny' ? answered(deniedAnswer(call, judged)) : askQuestion(call, calling, { args, work });
  try {
    return await callAction(call, calling, { args, work, judged });
  } catch (error) {
    if (error instanceof CallUndecided) return { type: 'undecided', call: error.call };
    throw error;
  }
}

/** Returns the question about a call that follows one which a person must decide on; undefined if nobody is to be asked. */
export async function questionAbout(
  call: ToolCall,
  { tool, host, place }: ToolCallContext,
): Promise<AskedCall | undefined> {
  const read = readArguments(call, host.compat);
  if (read.type === 'unusable' || (tool.work.type !== 'action' && tool.work.type !== 'program')) return undefined;
  const { args } = read;
  const judged = await judge(tool, args);
  if (judged.do !== 'ask') return undefined;
  return host.undecided(callToApprove(tool, judged, { place, repetition: 0, arguments: args }));
}

/** Returns what policies decide about a call. */
async function judge({ guard }: BoundTool, args: ToolArguments): Promise<PolicyDecision> {
  const judged: PolicyDecision = (await guard?.decide(args)) ?? { do: 'allow' };
  const problem = judged.do === 'ask' ? unreadable(args) : undefined;
  return problem === undefined || judged.do !== 'ask'
    ? judged
    : { do: 'deny', rule: judged.rule, reason: `${problem}.` };
}

/** What policies and people have decided about a call. */
interface Ruling {
  readonly judged: PolicyDecision;
  /** The call as a person must approve it; absent: nobody is asked. */
  readonly approval?: CallToApprove;
  /** Arguments that a person has put in place of the model's. */
  readonly edited?: ToolArguments;
}

/**
 * Returns what is decided about a call. The decision of a person counts also if no policy asks any more, and policies
 * decide about the arguments of a person like about those of the model.
 */
async function ruling(
  { tool, host, place }: ToolCallContext,
  { args, judged, repetition }: Pick<JudgedAction, 'args' | 'judged'> & { readonly repetition: number },
): Promise<Ruling> {
  if (judged.do === 'deny' || unreadable(args) !== undefined) return { judged };
  const asking = judged.do === 'ask' ? judged : { rule: '' };
  const approval = callToApprove(tool, asking, { place, repetition, arguments: args });
  const decided = await host.decisionOn(approval);
  if (decided === undefined) return judged.do === 'ask' ? { judged, approval } : { judged };
  if (decided.type === 'rejected' || !decided.edited) return { judged, approval };
  const edited = decided.arguments;
  const again = await judge(tool, edited);
  return { judged: again.do === 'deny' ? again : judged, approval, edited };
}

/** An action or a program with the arguments of a call, and what policies decide about it. */
interface JudgedAction {
  readonly args: ToolArguments;
  readonly work: Action | ProgramWork;
  readonly judged: PolicyDecision;
}

/** Makes a call, and goes on with its answer as its rule says if its outcome is unknown. */
async function callAction(call: ToolCall, calling: ToolCallContext, action: JudgedAction): Promise<ToolCallResult> {
  const { host, input } = calling;
  const policy = outcomePolicy(action.work);
  for (let repetition = 0; ; repetition++) {
    const ruled = await ruling(calling, { repetition, ...action });
    const answer = await executeCall(call, calling, { args: action.args, work: action.work, ...ruled });
    if (answer.unknown === undefined) return answered(answer);
    const { edited: args = action.args } = ruled;
    const decided = await decideUnknown({ call, args, answer, policy, host, input, check });
    if (decided.type !== 'again') return decided;
  }

  async function check(reader: BoundTool, args: ToolArguments): Promise<ToolAnswer> {
    if (reader.work.type !== 'action') throw new Error(`"${reader.name}" cannot verify a call`); // the readers of the entry see to it
    const asking: ToolCall = { id: call.id, name: reader.spec.name, arguments: JSON.stringify(args) };
    const allowed = await judge(reader, args);
    // Nobody is asked about a call that only the author of the workflow makes.
    const decided: PolicyDecision = allowed.do === 'ask' ? { do: 'deny', rule: allowed.rule } : allowed;
    return executeCall(asking, calling, { args, work: reader.work, judged: decided });
  }
}

const outcomePolicy = (work: JudgedAction['work']): UnknownOutcome =>
  (work.type === 'action' ? work.onUnknown : undefined) ?? { rule: 'tell' };

/**
 * Executes a call in a step, also if it is refused, so that later steps have the same places whatever is decided. Its answer
 * says so if its outcome is unknown.
 */
async function executeCall(
  call: ToolCall,
  calling: ToolCallContext,
  { args, work, judged, approval, edited: denied }: JudgedAction & Ruling,
): Promise<ToolAnswer> {
  const { host } = calling;
  const isOnce = work.type === 'action' && work.effect === 'once';
  const once = isOnce ? onceTerms(outcomePolicy(work).rule) : undefined;
  const isDenied = judged.do === 'deny';
  const action = async ({ decided, begun, ...doing }: StepAction): Promise<ToolAnswer> => {
    const refusal = await refusalOf(call, calling.tool, {
      judged,
      ...omitUndefined({ edited: denied, decided, begun }),
    });
    if (refusal !== undefined) return refusal;
    const edited = decided?.type === 'approved' && decided.edited ? decided.arguments : undefined;
    const made = edited === undefined ? call : { ...call, arguments: JSON.stringify(edited) };
    const sent = edited ?? args;
    const answer =
      work.type === 'program'
        ? await runProgram(made, { args: sent, work, host, runProgram: doing.runProgram })
        : await runAction(made, { args: sent, work, calling, unknown: once?.unknown }, doing);
    // The answer of a call with an unknown outcome is recognised by its identity.
    return edited === undefined || answer === once?.unknown ? answer : withSentArguments(answer, edited);
  };
  const answer = await host.step(`tool ${call.name}`, { name: call.name, arguments: call.arguments }, action, {
    once,
    runsProgram: work.type === 'program' || undefined,
    ...(isDenied ? { refused: true } : { approval }),
  });
  if (answer.ran !== undefined) host.note({ kind: 'code_execution', text: answer.ran });
  return answer;
}

type Refusing = Pick<Ruling, 'judged' | 'edited'> & Pick<StepAction, 'decided' | 'begun'>;

/** Returns the answer to a call that a rule or a person refuses; undefined for one that is made. */
async function refusalOf(
  { name }: ToolCall,
  tool: BoundTool,
  { judged, edited, decided, begun }: Refusing,
): Promise<ToolAnswer | undefined> {
  const refused = { name, ...omitUndefined({ begun }) };
  if (judged.do === 'deny') return deniedAnswer(refused, judged, edited);
  if (decided?.type === 'rejected') return rejectedAnswer(refused, decided);
  if (decided?.edited !== true) return undefined;
  // The person may have decided after the ruling.
  const again = await judge(tool, decided.arguments);
  return again.do === 'deny' ? deniedAnswer(refused, again, decided.arguments) : undefined;
}

interface ProgramCall extends Pick<StepAction, 'runProgram'> {
  readonly args: ToolArguments;
  readonly work: ProgramWork;
  readonly host: Host;
}

/** Runs a program for a call. Arguments and results that cannot be used are errors for the model; a refusal fails the node. */
async function runProgram({ name }: ToolCall, { args, work, host, ...doing }: ProgramCall): Promise<ToolAnswer> {
  const told = (error: unknown): ToolAnswer => failed(name, messageOf(error), host);
  let program: Program;
  try {
    program = work.program(args);
  } catch (error) {
    return told(error);
  }
  const { script } = program;
  const ran = typeof script === 'string' ? script : script.main;
  const ended = await doing.runProgram(program);
  try {
    return { ...work.answer(ended), ran };
  } catch (error) {
    return { ...told(error), ran };
  }
}

interface ActionCall extends Pick<AttemptTerms, 'unknown'> {
  readonly args: ToolArguments;
  readonly work: Action;
  readonly calling: ToolCallContext;
}

/** Makes a call, with the workspace of the run if its tool uses that. */
async function runAction(
  call: ToolCall,
  { args, work, calling, unknown }: ActionCall,
  doing: StepAction,
): Promise<ToolAnswer> {
  const { host } = calling;
  // Not within the attempt: files that cannot be brought are no error of the tool.
  const workspace = work.usesWorkspace ? await host.openWorkspace() : undefined;
  const terms = { key: keyOf(call, calling), workspace, compat: host.compat, unknown, ...doing };
  return attempt(call, { args, work }, terms);
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

type ReadArguments =
  | { readonly type: 'read'; readonly args: ToolArguments }
  | { readonly type: 'unusable'; readonly problem: string };

/**
 * Parses the arguments. What would be called with other arguments than the model wrote is not called. The original engine uses
 * an empty object for everything that is none.
 */
function readArguments({ arguments: written }: ToolCall, compat: boolean): ReadArguments {
  if (written.trim() === '') return { type: 'read', args: {} };
  const args = parsed(written) ?? (compat ? {} : undefined);
  if (args === undefined)
    return { type: 'unusable', problem: `the arguments are not a JSON object: ${start(written)}` };
  if (isTooDeep(args)) return { type: 'unusable', problem: 'the arguments nest too deeply' };
  const inexact = inexactNumber(written);
  if (inexact === undefined) return { type: 'read', args };
  return {
    type: 'unusable',
    problem: `the number ${start(inexact)} cannot be passed on exactly. Write it as a text, if the tool takes one.`,
  };
}

function parsed(written: string): ToolArguments | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? value : undefined;
  } catch {
    // The model's text need not be JSON.
    return undefined;
  }
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
