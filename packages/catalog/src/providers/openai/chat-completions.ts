import { createHash } from 'node:crypto';
import type { Block, ChatReply, EmitChunk, ReplyEnd, ToolCall } from '@millrace/core';
import { longestText, replyTooLarge } from '../../model-calls/bounded-fetch.ts';
import { inlineContent, mediaBlock } from '../../model-calls/content.ts';
import { connectionLost } from '../../model-calls/model-call.ts';
import { assertNoError } from '../../model-calls/reported-error.ts';
import { chatUsage } from '../usage.ts';
import { openThoughtFilter } from './thought-tags.ts';

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
  /** Number of objects and lists that are open at the end of the arguments. */
  depth: number;
  /** They end inside a text. */
  inText: boolean;
  /** A backslash at their end, whose character is yet to come. */
  backslash: string;
  extra?: unknown;
}

/** The reply so far. */
interface Draft {
  /** Adds to the number of characters beside the text; throws a ModelError when there are too many. */
  grow(characters: number): void;
  text: string;
  thoughts: string;
  refusal: string;
  audio: { data: string; transcript: string };
  readonly media: Block[];
  readonly calls: Call[];
  readonly callsByIndex: Map<number, Call>;
  readonly callsById: Map<string, Call>;
  /** Details of thoughts by their type and index, as far as they have one. */
  readonly details: Map<string, Json>;
  /** Fields of the message that the server expects back with its calls, under the names that it gave them. */
  readonly returned: Map<string, unknown>;
}

/** Maximum number of calls, pictures and details of thoughts in a reply. */
const mostEntries = 10_000;

/** Ends by the words of servers. */
const ends = new Map<string, ReplyEnd>(
  Object.entries({
    stop: 'stop',
    eos: 'stop',
    tool_calls: 'calls',
    function_call: 'calls',
    length: 'length',
    max_tokens: 'length',
    model_length: 'context',
    content_filter: 'filter',
  }),
);

/** Returns an accumulator for one completion. */
export function accumulateCompletion(reader: CompletionReader): CompletionAccumulator {
  let size = 0;
  const draft: Draft = {
    grow(characters) {
      size += characters;
      if (size > longestText) throw replyTooLarge(reader.model);
    },
    text: '',
    thoughts: '',
    refusal: '',
    audio: { data: '', transcript: '' },
    media: [],
    calls: [],
    callsByIndex: new Map(),
    callsById: new Map(),
    details: new Map(),
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
          draft.grow(thought.length);
          draft.thoughts += thought;
        },
      })
    : { add: say, end: () => undefined };
  let usage: unknown;
  let finish: string | undefined;
  /** Place of the answer that is read: a request for several gets the chunks of all of them in one stream. */
  let place: number | undefined;
  return {
    add(chunk) {
      assertNoError(chunk);
      const body = objectOf(chunk);
      // Some servers send null in all chunks but the last one, and others a growing count in each.
      if (isObject(body['usage'])) usage = chunk;
      const choices = arrayOf(body['choices']).map(objectOf);
      const choice = choices.find((each) => place === undefined || placeOf(each) === place);
      if (choice === undefined) return;
      place = placeOf(choice);
      const reason = choice['finish_reason'];
      if (typeof reason === 'string' && reason !== '') finish = reason;
      const message = objectOf(choice['delta'] ?? choice['message']);
      for (const [name, value] of Object.entries(message)) fields.get(name)?.(draft, value, filter.add);
    },
    reply(isDone) {
      if (place === undefined) return undefined;
      if (finish === undefined && !isDone) throw connectionLost(reader.model);
      filter.end();
      return replyOf(draft, reader, { finish, usage: chatUsage(usage) });
    },
  };
}

/** Returns the place of an answer; some servers leave out the first one. */
const placeOf = ({ index }: Json): number => (typeof index === 'number' ? index : 0);

/** Rules for the fields of a message, whole or in parts; others are ignored. */
const fieldRules: Readonly<Record<string, (draft: Draft, value: unknown, say: EmitChunk) => void>> = {
  content(draft, value, say) {
    if (typeof value === 'string') say(value);
    // Mistral and others answer in parts.
    for (const part of arrayOf(value).map(objectOf)) {
      const read = parts.get(textIn(part['type']));
      if (read === undefined) say(textIn(part['text']));
      else read(draft, part);
    }
  },
  refusal: addRefusal,
  reasoning_content: (draft, value) => addThoughts(draft, 'reasoning_content', value),
  reasoning: (draft, value) => addThoughts(draft, 'reasoning', value),
  reasoning_details(draft, value) {
    for (const detail of arrayOf(value)) if (isObject(detail)) addDetail(draft, detail);
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
    draft.grow(textIn(data).length + textIn(transcript).length);
    draft.audio.data += textIn(data);
    draft.audio.transcript += textIn(transcript);
  },
};
// A map, as the names come from servers: an object has fields of its own, such as `constructor`.
const fields = new Map(Object.entries(fieldRules));

/** Rules for the parts of a message's content by their types; the text of all others is text. */
const partRules: Readonly<Record<string, (draft: Draft, part: Json) => void>> = {
  thinking: (draft, { thinking }) =>
    addThought(draft, typeof thinking === 'string' ? thinking : arrayOf(thinking).map(textOfPart).join('')),
  reasoning: (draft, part) => addThought(draft, textOfPart(part)),
  refusal: (draft, { refusal }) => addRefusal(draft, refusal),
  image_url: (draft, part) => addImage(draft, part),
};
const parts = new Map(Object.entries(partRules));

function addThought(draft: Draft, thought: string): void {
  draft.grow(thought.length);
  draft.thoughts += thought;
}

function addRefusal(draft: Draft, value: unknown): void {
  draft.grow(textIn(value).length);
  draft.refusal += textIn(value);
}

/** Adds thoughts that the server expects back under the name of their field. */
function addThoughts(draft: Draft, name: string, value: unknown): void {
  const thought = textIn(value);
  if (thought === '') return;
  // A server that sends both fields sends the same thoughts twice.
  const other = name === 'reasoning' ? 'reasoning_content' : 'reasoning';
  if (draft.returned.has(other)) draft.grow(thought.length);
  else addThought(draft, thought);
  draft.returned.set(name, `${textIn(draft.returned.get(name))}${thought}`);
}

/** Fields of a detail of thoughts that arrive in pieces. */
const detailTexts = ['text', 'summary', 'data'];

/** Adds a detail of thoughts to those of a reply: pieces of one detail have its index and its type. */
function addDetail({ details, grow }: Draft, piece: Json): void {
  const key =
    typeof piece['index'] === 'number' ? `${textIn(piece['type'])} ${piece['index']}` : `alone ${details.size}`;
  const known = details.get(key);
  if (known === undefined && details.size >= mostEntries) return;
  for (const name of detailTexts) grow(textIn(piece[name]).length);
  const joined = detailTexts.flatMap((name) =>
    typeof piece[name] === 'string' ? [[name, `${textIn(known?.[name])}${piece[name]}`] as const] : [],
  );
  details.set(key, { ...known, ...omitNull(piece), ...Object.fromEntries(joined) });
}

/** A part of a call as it arrives. */
interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Adds a piece of a call to the call that it belongs to. */
function addCall(draft: Draft, written: Json): void {
  const { name, arguments: given } = objectOf(written['function']);
  const piece: CallPiece = {
    index: typeof written['index'] === 'number' ? written['index'] : undefined,
    id: textIn(written['id']),
    name: textIn(name),
    text: isObject(given) || Array.isArray(given) ? JSON.stringify(given) : textIn(given),
  };
  draft.grow(piece.text.length);
  const call = callOf(draft, piece);
  if (call === undefined) return;
  call.id ||= piece.id;
  call.name ||= piece.name;
  if (piece.index !== undefined) draft.callsByIndex.set(piece.index, call);
  if (call.id !== '') draft.callsById.set(call.id, call);
  addArguments(call, piece.text);
  if (isObject(written['extra_content'])) call.extra = written['extra_content'];
}

/** Returns the call that a piece belongs to, which may be a new one; undefined if there are too many. */
function callOf({ calls, callsByIndex, callsById }: Draft, piece: CallPiece): Call | undefined {
  const { index, id, name } = piece;
  const byIndex = index === undefined ? undefined : callsByIndex.get(index);
  const last = index === undefined || (name === '' && id === '') ? calls.at(-1) : undefined;
  const known = byIndex ?? callsById.get(id) ?? last;
  if (known !== undefined && !startsCall(known, piece)) return known;
  if (calls.length >= mostEntries) return undefined;
  const call: Call = { id: '', name: '', arguments: '', depth: 0, inText: false, backslash: '' };
  calls.push(call);
  return call;
}

/**
 * Returns whether a piece begins another call. Indices do not say it, as some servers give all calls the same one: a call
 * begins with a name that comes with a new id, or after a call that has another name or all of its arguments.
 */
function startsCall(call: Call, piece: CallPiece): boolean {
  if (piece.name === '' || call.name === '') return false;
  if (piece.id !== '' && call.id !== '' && piece.id !== call.id) return true;
  if (piece.id === '' && piece.name !== call.name) return true;
  return piece.text !== '' && call.depth === 0 && call.arguments !== '';
}

/** Parts of JSON that say how deep a text is: brackets, the marks of texts, and characters after a backslash. */
const marks = /\\.|["{}[\]]/gs;
const depths = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** Adds to the arguments of a call. Each character is looked at once, however small pieces are. */
function addArguments(call: Call, piece: string): void {
  const text = call.backslash + piece;
  let end = 0;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    end = index + mark.length;
    if (mark === '"') call.inText = !call.inText;
    else if (!call.inText) call.depth += depths.get(mark) ?? 0;
  }
  call.backslash = end < text.length && text.endsWith('\\') ? '\\' : '';
  call.arguments += piece;
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
  const end = ends.get(of.finish ?? '') ?? 'unknown';
  if (of.isRefusal && end === 'stop') return 'refusal';
  return of.hasCalls && end === 'stop' ? 'calls' : end;
}

/** Returns the calls of a reply, each with an id of its own, and with the data that the server expects back. */
function toolCallsOf({ calls, returned, details }: Draft, round: number): readonly ToolCall[] {
  const taken = new Map<string, number>();
  const fieldsBack = {
    ...Object.fromEntries(returned),
    ...(details.size > 0 && { reasoning_details: [...details.values()] }),
  };
  return calls.map(({ id: given, name, arguments: written, extra }, at) => {
    const id = uniqueId(given || ownId(round, at, name), taken);
    const message = at === 0 && Object.keys(fieldsBack).length > 0 ? { message: fieldsBack } : {};
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
function uniqueId(id: string, taken: Map<string, number>): string {
  const twins = taken.get(id) ?? 0;
  taken.set(id, twins + 1);
  if (twins === 0) return id;
  // The id with the suffix may be that of another call.
  return uniqueId(`${id}_${twins + 1}`, taken);
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
