import type {
  ActivationId,
  ChatReply,
  ChatRequest,
  LoggedCall,
  LoggedMessage,
  LoggedRequest,
  MessageBody,
  MessageId,
  ModelTool,
  RunId,
  StateView,
  ToolCall,
} from '@millrace/core';
import { CallLog, contentOfStep, failureIn, omitUndefined, replyIn, textOf, unwrapValue } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import type { Store } from '../ports/store/port.ts';
import { activationEntries } from './activation-entries.ts';

/*
 * Reads what the calls of an activation asked and what came back. Nothing is executed for it: the journal names the
 * messages that hold the contents of a request, see asked-request.ts in the core.
 */

/** Sources that calls are read from. */
interface CallSource {
  readonly runs: {
    refresh(run: RunId): Promise<OpenRun | undefined>;
    bodies(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageBody[]>;
  };
  readonly store: Pick<Store, 'journal'>;
}

/** What a model was asked beside its messages and tools. */
export type AskedSettings = Omit<ChatRequest, 'apiKey' | 'messages' | 'tools' | 'retry' | 'rateLimit'>;

/** A message to a model. */
export interface AskedMessage {
  readonly role: MessageBody['role'];
  /** The message of the run that holds its content. */
  readonly id: MessageId;
  /** Its content is the result of this call of the activation. */
  readonly step?: number;
  readonly text: string;
  /** Number of characters of the whole text, if only its beginning is here. */
  readonly size?: number;
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Id of the call of a tool that it answers. */
  readonly toolCallId?: string;
}

/** A whole request to a model. */
export interface AskedRequest {
  readonly settings: AskedSettings;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly AskedMessage[];
}

/** A call of an activation in a list. */
export type CallLine = Omit<LoggedCall, 'result'>;

/** A call with what it asked and what came back. */
export interface CallDetail extends CallLine {
  /** Absent for calls of tools and programs, and where requests are not recorded. */
  readonly request?: AskedRequest;
  /** Reply of a model. */
  readonly reply?: ChatReply;
  readonly error?: { readonly code: string; readonly message: string };
  /** Text of the result of a call of a tool or program. */
  readonly text?: string;
}

/** A call of a run that is looked up. */
export interface CallPlace {
  readonly activation: ActivationId;
  readonly step: number;
  /** Only so many characters of each message. */
  readonly chars?: number | undefined;
}

/** Lists the calls of an activation; undefined when there is no such activation, or run. */
export async function listCalls(
  source: CallSource,
  run: RunId,
  activation: ActivationId,
): Promise<readonly CallLine[] | undefined> {
  const log = await readCallLog(source, run, activation);
  return log?.calls.map(({ result: _message, ...call }) => call);
}

/** Returns a call; undefined when there is no such call, activation or run. */
export async function findCall(
  source: CallSource,
  run: RunId,
  { activation, step, chars }: CallPlace,
): Promise<CallDetail | undefined> {
  const log = await readCallLog(source, run, activation);
  const found = log?.calls.find((call) => call.step === step);
  if (log === undefined || found === undefined) return undefined;
  const { result, ...call } = found;
  const request = log.request(step);
  const bodies = (ids: readonly MessageId[]) => source.runs.bodies(run, ids);
  const [body] = result === undefined ? [] : await bodies([result]);
  return {
    ...call,
    ...(request === undefined ? {} : { request: await readRequest(request, bodies, chars) }),
    ...resultOf(body === undefined ? undefined : unwrapValue(body)),
  };
}

/** Reads the calls of an activation from the part of the journal that has them. */
async function readCallLog(
  { runs, store }: CallSource,
  run: RunId,
  activation: ActivationId,
): Promise<CallLog | undefined> {
  const now = await runs.refresh(run);
  if (now === undefined) return undefined;
  const log = new CallLog(activation);
  let isKnown = false;
  for await (const entry of activationEntries({ store, run, now }, activation)) {
    isKnown = true;
    log.add(entry);
    if (hasAll(log, now.state, activation)) break;
  }
  return isKnown ? log : undefined;
}

/** Returns whether the calls of an activation that is not settled are as the state has them: no further ones follow. */
function hasAll(log: CallLog, state: StateView, activation: ActivationId): boolean {
  const record = state.get(`activation/${activation}`);
  if (record === undefined) return false;
  const { calls } = log;
  if (calls.length !== (record.steps ?? 0)) return false;
  return calls.every(({ step, result }) => state.get(`step/${activation}/${step}`)?.result === result);
}

/** Characters of all messages of a request that are returned. A message can be long, and can be in a request many times. */
const mostCharacters = 4 * 1024 * 1024;
/** Messages that are read at once. */
const readAtOnce = 8;

type ReadBodies = (ids: readonly MessageId[]) => Promise<readonly MessageBody[]>;

/** Reads the contents of a request, a few at a time. When the messages are too long together, the later ones are cut. */
async function readRequest(
  { settings, tools, messages }: LoggedRequest,
  read: ReadBodies,
  chars = mostCharacters,
): Promise<AskedRequest> {
  const ofNode = [settings, tools].filter((id) => id !== undefined);
  const bodies = await read(ofNode);
  const bodyOf = (id: MessageId | undefined) => (id === undefined ? undefined : bodies[ofNode.indexOf(id)]);
  const asked: AskedMessage[] = [];
  let left = mostCharacters;
  for (let at = 0; at < messages.length; at += readAtOnce) {
    const some = messages.slice(at, at + readAtOnce);
    const contents = await read(some.map(({ id }) => id));
    for (const [place, message] of some.entries()) {
      const one = messageOf(message, contents[place], Math.min(chars, left));
      left -= one.text.length;
      asked.push(one);
    }
  }
  return {
    // Workers store both in these forms.
    settings: unwrapValue(bodyOf(settings)) as AskedSettings,
    tools: (unwrapValue(bodyOf(tools)) ?? []) as readonly ModelTool[],
    messages: asked,
  };
}

function messageOf(
  { role, id, step, calls, call }: LoggedMessage,
  body: MessageBody = { role, content: '' },
  chars: number,
): AskedMessage {
  const { content, toolCalls } = step === undefined ? body : (contentOfStep(unwrapValue(body)) ?? body);
  const text = textOf({ content });
  const isCut = text.length > chars;
  return {
    role,
    id,
    text: isCut ? text.slice(0, chars) : text,
    ...omitUndefined({
      step,
      size: isCut ? text.length : undefined,
      name: step === undefined ? body.name : undefined,
      toolCalls: calls ? toolCalls : undefined,
      toolCallId: call ?? (step === undefined ? body.toolCallId : undefined),
    }),
  };
}

function resultOf(value: unknown): Pick<CallDetail, 'reply' | 'error' | 'text'> {
  if (value === undefined) return {};
  const reply = replyIn(value);
  if (reply !== undefined) return { reply };
  const error = failureIn(value);
  if (error !== undefined) return { error };
  const said = contentOfStep(value);
  return { text: said === undefined ? JSON.stringify(value, null, 2) : textOf(said) };
}
