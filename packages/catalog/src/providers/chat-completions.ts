import { createHash } from 'node:crypto';
import type { Block, ChatReply, EmitChunk, ReplyEnd, ToolCall } from '@millrace/core';
import { inlineContent, mediaBlock } from '../model-calls/content.ts';
import { connectionLost } from '../model-calls/model-call.ts';
import { assertNoError } from '../model-calls/reported-error.ts';
import { openThoughtFilter } from './thought-tags.ts';
import { chatUsage } from './usage.ts';

/*
 * Chat completions, as OpenAI and the servers that imitate it send them. A whole completion is read like a stream of one
 * chunk, so that both have the same rules. What servers do differently is in the tables `fields` and `parts`, and in
 * `startsCall`.
 */

/** Context in which a completion is read. */
export interface CompletionReader {
  readonly model: string;
  /** Receives each part of the text. */
  readonly emit: EmitChunk;
  /** Number of rounds of calls before this reply; ids that a server omits are made of it. */
  readonly round: number;
  /** Thoughts between `<think>` tags at the start of the text are no part of it. */
  readonly thinkTags: boolean;
  /** Format of recordings. */
  readonly audioFormat?: string | undefined;
}

/** Adds up the chunks of one completion. */
export interface CompletionAccumulator {
  /** Adds a chunk, or a whole completion. Throws a ModelError for one that reports a failure. */
  add(chunk: unknown): void;
  /** Returns the reply; undefined if no chunk was one of a completion. `isDone`: the server said that it has ended. */
  reply(isDone: boolean): ChatReply | undefined;
}

type Json = Readonly<Record<string, unknown>>;

interface Call {
  id: string;
  name: string;
  arguments: string;
  extra?: unknown;
}

/** The reply so far. */
interface Draft {
  text: string;
  thoughts: string;
  refusal: string;
  audio: { data: string; transcript: string };
  readonly media: Block[];
  readonly calls: Call[];
  readonly callsByIndex: Map<number, Call>;
  /** Fields of the message that the server expects back with its calls, under the names that it gave them. */
  readonly returned: Map<string, unknown>;
}

/** Maximum number of calls, pictures and details of thoughts in a reply. */
const mostEntries = 10_000;

/** Ends by the words of servers. */
const ends: Readonly<Record<string, ReplyEnd>> = {
  stop: 'stop',
  eos: 'stop',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'context',
  content_filter: 'filter',
};

/** Returns an accumulator for one completion. */
export function accumulateCompletion(reader: CompletionReader): CompletionAccumulator {
  const draft: Draft = {
    text: '',
    thoughts: '',
    refusal: '',
    audio: { data: '', transcript: '' },
    media: [],
    calls: [],
    callsByIndex: new Map(),
    returned: new Map(),
  };
  const say = (text: string): void => {
    draft.text += text;
    if (text !== '') reader.emit(text);
  };
  const filter = reader.thinkTags
    ? openThoughtFilter({
        text: say,
        thought(thought) {
          draft.thoughts += thought;
        },
      })
    : { add: say, end: () => undefined };
  let usage: unknown;
  let finish: string | undefined;
  let hasChoice = false;
  return {
    add(chunk) {
      assertNoError(chunk);
      const body = objectOf(chunk);
      // Some servers send null in all chunks but the last one, and others a growing count in each.
      if (isObject(body['usage'])) usage = chunk;
      const [choice] = arrayOf(body['choices']).map(objectOf);
      if (choice === undefined) return;
      hasChoice = true;
      const reason = choice['finish_reason'];
      if (typeof reason === 'string' && reason !== '') finish = reason;
      const message = objectOf(choice['delta'] ?? choice['message']);
      for (const [name, value] of Object.entries(message)) fields[name]?.(draft, value, filter.add);
    },
    reply(isDone) {
      if (!hasChoice) return undefined;
      if (finish === undefined && !isDone) throw connectionLost(reader.model);
      filter.end();
      return replyOf(draft, reader, { finish, usage: chatUsage(usage) });
    },
  };
}

/** Rules for the fields of a message, whole or in parts; others are ignored. */
const fields: Readonly<Record<string, (draft: Draft, value: unknown, say: EmitChunk) => void>> = {
  content(draft, value, say) {
    if (typeof value === 'string') say(value);
    // Mistral and others answer in parts.
    for (const part of arrayOf(value).map(objectOf)) {
      const read = typeof part['type'] === 'string' ? parts[part['type']] : undefined;
      if (read === undefined) say(textIn(part['text']));
      else read(draft, part, say);
    }
  },
  refusal(draft, value) {
    draft.refusal += textIn(value);
  },
  reasoning_content: (draft, value) => addThoughts(draft, 'reasoning_content', value),
  reasoning: (draft, value) => addThoughts(draft, 'reasoning', value),
  reasoning_details(draft, value) {
    const details = arrayOf(draft.returned.get('reasoning_details')).slice();
    for (const detail of arrayOf(value).map(objectOf)) addDetail(details, detail);
    if (details.length > 0) draft.returned.set('reasoning_details', details);
  },
  extra_content(draft, value) {
    if (isObject(value)) draft.returned.set('extra_content', value);
  },
  tool_calls(draft, value) {
    for (const piece of arrayOf(value).map(objectOf)) addCall(draft, piece);
  },
  // The form before tools.
  function_call(draft, value) {
    if (isObject(value)) addCall(draft, { function: value });
  },
  images(draft, value) {
    for (const image of arrayOf(value).map(objectOf)) addImage(draft, image);
  },
  audio(draft, value) {
    const { data, transcript } = objectOf(value);
    draft.audio.data += textIn(data);
    draft.audio.transcript += textIn(transcript);
  },
};

/** Rules for the parts of a message's content by their types; the text of all others is text. */
const parts: Readonly<Record<string, (draft: Draft, part: Json, say: EmitChunk) => void>> = {
  thinking(draft, { thinking }) {
    draft.thoughts += typeof thinking === 'string' ? thinking : arrayOf(thinking).map(textOfPart).join('');
  },
  reasoning(draft, part) {
    draft.thoughts += textOfPart(part);
  },
  refusal(draft, { refusal }) {
    draft.refusal += textIn(refusal);
  },
  image_url: (draft, part) => addImage(draft, part),
};

function addThoughts(draft: Draft, name: string, value: unknown): void {
  const thought = textIn(value);
  if (thought === '') return;
  // A server that sends both fields sends the same thoughts twice.
  const [first] = [...draft.returned.keys()].filter((key) => key === 'reasoning_content' || key === 'reasoning');
  if (first === undefined || first === name) draft.thoughts += thought;
  draft.returned.set(name, `${textIn(draft.returned.get(name))}${thought}`);
}

/** Adds a detail of thoughts to those of a reply: pieces of one detail have its index and its type. */
function addDetail(details: unknown[], piece: Json): void {
  const at = details.findIndex(
    (known) =>
      piece['index'] !== undefined &&
      objectOf(known)['index'] === piece['index'] &&
      objectOf(known)['type'] === piece['type'],
  );
  if (at < 0) {
    if (details.length < mostEntries) details.push(piece);
    return;
  }
  const known = objectOf(details[at]);
  const joined = ['text', 'summary', 'data'].flatMap((name) =>
    typeof piece[name] === 'string' ? [[name, `${textIn(known[name])}${piece[name]}`] as const] : [],
  );
  details[at] = { ...known, ...omitNull(piece), ...Object.fromEntries(joined) };
}

/** Adds a piece of a call to the call that it belongs to. */
function addCall(draft: Draft, piece: Json): void {
  const { name: written, arguments: given } = objectOf(piece['function']);
  const [id, name] = [textIn(piece['id']), textIn(written)];
  const text = isObject(given) || Array.isArray(given) ? JSON.stringify(given) : textIn(given);
  const index = typeof piece['index'] === 'number' ? piece['index'] : undefined;
  const known =
    (index === undefined ? undefined : draft.callsByIndex.get(index)) ??
    (id === '' ? undefined : draft.calls.findLast((call) => call.id === id)) ??
    (index === undefined || (name === '' && id === '') ? draft.calls.at(-1) : undefined);
  let call = known;
  if (call === undefined || startsCall(call, { id, name, text })) {
    if (draft.calls.length >= mostEntries) return;
    call = { id: '', name: '', arguments: '' };
    draft.calls.push(call);
  }
  if (index !== undefined) draft.callsByIndex.set(index, call);
  call.id ||= id;
  call.name ||= name;
  call.arguments += text;
  if (isObject(piece['extra_content'])) call.extra = piece['extra_content'];
}

/**
 * Returns whether a piece begins another call. Indices do not say it, as some servers give all calls the same one: a call
 * begins with a name that comes with a new id, or after a call that has another name or all of its arguments.
 */
function startsCall(call: Call, piece: { readonly id: string; readonly name: string; readonly text: string }): boolean {
  if (piece.name === '' || call.name === '') return false;
  if (piece.id !== '' && call.id !== '' && piece.id !== call.id) return true;
  if (piece.id === '' && piece.name !== call.name) return true;
  return piece.text !== '' && isWhole(call.arguments);
}

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function addImage(draft: Draft, image: Json): void {
  const address = image['image_url'];
  const url = typeof address === 'string' ? address : textIn(objectOf(address)['url']);
  if (url === '' || draft.media.length >= mostEntries) return;
  const inline = inlineContent(url);
  draft.media.push(
    inline === undefined
      ? { type: 'image', attachment: { id: url, name: 'image', mimeType: 'image/png', uri: url } }
      : mediaBlock(inline),
  );
}

interface Ending {
  readonly finish: string | undefined;
  readonly usage: ChatReply['usage'];
}

function replyOf(draft: Draft, reader: CompletionReader, { finish, usage }: Ending): ChatReply {
  const { text, thoughts, refusal, audio, calls } = draft;
  const media = audio.data === '' ? draft.media : [...draft.media, recordingOf(audio.data, reader.audioFormat)];
  const toolCalls = toolCallsOf(draft, reader.round);
  return {
    text: text || audio.transcript || refusal,
    end: endOf({ finish, isRefusal: text === '' && refusal !== '', hasCalls: calls.length > 0 }),
    ...(thoughts.trim() === '' ? {} : { thoughts: thoughts.trim() }),
    ...(media.length === 0 ? {} : { blocks: media }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(usage === undefined ? {} : { usage }),
    ...(finish === undefined ? {} : { finishReason: finish }),
  };
}

function endOf(of: { readonly finish: string | undefined; readonly isRefusal: boolean; readonly hasCalls: boolean }) {
  const end = of.finish === undefined ? 'unknown' : (ends[of.finish] ?? 'unknown');
  if (of.isRefusal && end === 'stop') return 'refusal';
  return of.hasCalls && end === 'stop' ? 'calls' : end;
}

/** Returns the calls of a reply, each with an id of its own, and with the data that the server expects back. */
function toolCallsOf({ calls, returned }: Draft, round: number): readonly ToolCall[] {
  const taken = new Set<string>();
  return calls.map(({ id: given, name, arguments: written, extra }, at) => {
    const id = uniqueId(given || ownId(round, at, name), taken);
    const message = at === 0 && returned.size > 0 ? { message: Object.fromEntries(returned) } : {};
    const opaque = { ...message, ...(extra === undefined ? {} : { call: { extra_content: extra } }) };
    const text = written.trim();
    return {
      id,
      name,
      arguments: text === '' || text === 'null' ? '{}' : written,
      ...(Object.keys(opaque).length === 0 ? {} : { opaque: JSON.stringify(opaque) }),
    };
  });
}

/** Returns the id of a call that has none: nine letters and digits, as Mistral requires, the same on every attempt. */
const ownId = (round: number, at: number, name: string): string =>
  createHash('sha256').update(`${round}:${at}:${name}`).digest('hex').slice(0, 9);

/** Returns an id, with a suffix if another call of the reply has it. */
function uniqueId(id: string, taken: Set<string>): string {
  let unique = id;
  for (let twin = 2; taken.has(unique); twin++) unique = `${id}_${twin}`;
  taken.add(unique);
  return unique;
}

const recordingTypes: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/ogg'],
  ['pcm16', 'audio/L16'],
]);

const recordingOf = (base64: string, format = 'wav'): Block =>
  mediaBlock({ mimeType: recordingTypes.get(format) ?? `audio/${format}`, base64 });

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, mostEntries) : []);
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOfPart = (part: unknown): string => textIn(objectOf(part)['text']);
const omitNull = (value: Json): Json => Object.fromEntries(Object.entries(value).filter(([, each]) => each != null));
