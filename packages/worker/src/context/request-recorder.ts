import { createHash } from 'node:crypto';
import type {
  ChatMessage,
  ChatRequest,
  Message,
  MessageRef,
  NamedMessage,
  NewRequest,
  NewText,
  SharedText,
} from '@millrace/core';
import { contentOfStep, wrapValue } from '@millrace/core';

/** The content of a message, with what a message that names it must have in common with it. */
interface Source extends Pick<NamedMessage, 'from'> {
  readonly name: string | undefined;
  readonly toolCallId: string | undefined;
}

/** A request, with what is recorded of it beside its messages, as JSON. */
interface RequestParts {
  readonly request: ChatRequest;
  readonly settings: string;
  readonly tools: string;
}

/**
 * Describes the requests of one attempt for the journal, which stores them by content: a message whose content is in the
 * input of the activation or in the result of a step is named, and what a request has in common with the one before it is
 * left out. A content that is found nowhere is new text; so a description is always complete, and only its size depends
 * on what is found.
 */
export class RequestRecorder {
  readonly #input: () => readonly (readonly [MessageRef, Message])[];
  readonly #hide: <T>(value: T) => T;
  readonly #sources = new Map<string, Source>();
  #hasInput = false;
  /** The request that was described last. */
  #described: RequestParts | undefined;
  /** The last one that the journal has, and its step. */
  #last: (RequestParts & { readonly step: number }) | undefined;

  /** `input`: messages of the run that requests may repeat; `hide`: hides secrets in a value. */
  constructor(input: () => readonly (readonly [MessageRef, Message])[], hide: <T>(value: T) => T) {
    this.#input = input;
    this.#hide = hide;
  }

  /** Notes the result of a step. */
  noteResult(step: number, value: unknown): void {
    const said = contentOfStep(value);
    if (said !== undefined) this.#note(said, { from: `s${step}`, name: undefined, toolCallId: undefined });
  }

  /** Notes a call whose request the journal has. */
  noteCall(step: number, request: ChatRequest): void {
    const { settings, tools } = this.#partsOf(request);
    this.#last = { step, request, settings, tools };
  }

  /** Returns the description of a request. */
  describe(request: ChatRequest): NewRequest {
    if (!this.#hasInput) this.#noteInput();
    const last = this.#last;
    const { settings, tools } = this.#partsOf(request);
    const kept = last === undefined ? 0 : sharedStart(last.request.messages, request.messages);
    return {
      ...(settings === last?.settings ? {} : { settings: this.#shared(settings) }),
      ...(tools === last?.tools ? {} : { tools: tools === '' ? 'none' : this.#shared(tools) }),
      ...(last === undefined ? {} : { base: { step: last.step, kept } }),
      messages: request.messages.slice(kept).map((message) => this.#named(message) ?? this.#newText(message)),
    };
  }

  #partsOf(request: ChatRequest): RequestParts {
    if (this.#described?.request !== request)
      this.#described = { request, settings: settingsOf(request), tools: toolsOf(request) };
    return this.#described;
  }

  #noteInput(): void {
    this.#hasInput = true;
    for (const [{ id: from }, { name, toolCallId, content, toolCalls }] of this.#input())
      this.#note({ content, toolCalls }, { from, name, toolCallId });
  }

  /** Notes a content as it is, and together with its calls. */
  #note({ content, toolCalls }: Pick<ChatMessage, 'content'> & Said, source: Source): void {
    this.#sources.set(keyOf(content), source);
    if (toolCalls !== undefined) this.#sources.set(keyOf(content, toolCalls), source);
  }

  /** Returns where the content of a message is; undefined if it is nowhere. */
  #named({ role, content, name, toolCalls, toolCallId, opaque }: ChatMessage): NamedMessage | undefined {
    const source = this.#sources.get(keyOf(content, toolCalls));
    if (source === undefined || source.name !== name || opaque !== undefined) return undefined;
    const { from } = source;
    const named = toolCalls === undefined ? { role, from } : ({ role, from, calls: true } as const);
    if (toolCallId === source.toolCallId) return named;
    return toolCallId === undefined ? undefined : { ...named, call: toolCallId };
  }

  #newText({ opaque: _opaque, ...message }: ChatMessage): NewText {
    const body = this.#hide(message);
    // Other texts are mostly different in each call.
    return message.role === 'system' ? { digest: digestOf(JSON.stringify(body)), body } : { body };
  }

  /** Returns a JSON text as a message that the calls of a node share. */
  #shared(json: string): SharedText {
    // A digest of a secret would let it be guessed.
    const value: unknown = this.#hide(JSON.parse(json));
    return { digest: digestOf(JSON.stringify(value)), body: wrapValue(value) };
  }
}

interface Said {
  readonly toolCalls?: ChatMessage['toolCalls'] | undefined;
}

const keyOf = (content: ChatMessage['content'], toolCalls?: ChatMessage['toolCalls']): string => {
  const text = typeof content === 'string' ? content : `\u0001${JSON.stringify(content)}`;
  return toolCalls === undefined ? text : `${text}\u0001${JSON.stringify(toolCalls)}`;
};

/** Returns what a request says beside its conversation and its tools, as JSON. */
function settingsOf({
  apiKey: _secret,
  retry: _retry,
  rateLimit: _limit,
  reuse: _reuse,
  messages: _own,
  tools: _tools,
  ...settings
}: ChatRequest): string {
  return JSON.stringify(settings);
}

const toolsOf = ({ tools = [] }: ChatRequest): string => (tools.length === 0 ? '' : JSON.stringify(tools));

/** Returns the number of messages with which both conversations begin. */
function sharedStart(one: readonly ChatMessage[], other: readonly ChatMessage[]): number {
  const end = Math.min(one.length, other.length);
  let kept = 0;
  while (kept < end && isSame(one[kept], other[kept])) kept++;
  return kept;
}

function isSame(one: ChatMessage | undefined, other: ChatMessage | undefined): boolean {
  if (one === other) return true;
  // Most messages differ in their contents, or share the very same text.
  if (typeof one?.content === 'string' && one.content !== other?.content) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
