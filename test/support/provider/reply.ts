import type { ServerResponse } from 'node:http';
import type { Usage } from './bill/bill.ts';
import type { CachedPrompt } from './bill/prompt-cache.ts';
import type { Refusal } from './rules/refusal.ts';
import type { Json, OfferedTool, Turn } from './turn.ts';
import { isObject, objectOf, textOf } from './turn.ts';

/** A call of a function in a reply; `arguments` is text as the model wrote it, or an object. */
export interface Call {
  readonly name: string;
  readonly arguments?: unknown;
  readonly id?: string;
}

/** Ends of a reply, for each of which a vendor has its own word. */
export type End = 'stop' | 'calls' | 'length' | 'filter' | 'refusal' | 'malformed' | 'paused' | 'context';

/** What a model says. All parts have defaults: tokens are counted, and the end follows from the rest. */
export interface Said {
  readonly text?: string;
  readonly thoughts?: string;
  /** Tokens of thoughts that are not shown. */
  readonly reasoning?: number;
  readonly calls?: readonly Call[];
  readonly end?: End;
  /** Web searches of the provider itself. */
  readonly searches?: number;
  /** Counts that replace those of the provider. */
  readonly usage?: Partial<Usage>;
  /** Model that answered, if it is not the one that was asked. */
  readonly model?: string;
  readonly afterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply to a request. */
export type Reply =
  | string
  | Said
  | Refusal
  /** Body that is sent as it is; text that is no JSON as well. */
  | { readonly body: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Events of a stream that are sent as they are, named by their `type` if they have one; a text is sent without `data:`. */
  | { readonly events: readonly (Json | string)[] }
  /** The test writes the response itself. */
  | { readonly respond: (outgoing: ServerResponse) => unknown }
  /** The request is taken and never answered; or the connection is closed before the answer, or in the middle of it. */
  | { readonly silence: true }
  | { readonly hangUp: 'before' | 'middle' };

/** A call as it is sent. */
export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A reply with all its parts, before it is written in the words of an API. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly thoughts: string;
  /** Signature of the thoughts, which must come back with the calls. */
  readonly signature?: string;
  readonly calls: readonly AnsweredCall[];
  readonly end: End;
  readonly usage: Usage;
}

/** Returns what a model says if nothing else is scripted: the call that it must make, the least JSON, or a text. */
export function defaultReply(turn: Turn): Said {
  const first = turn.tools[0];
  const forced = typeof turn.forced === 'string' ? turn.tools.find(({ name }) => name === turn.forced) : first;
  const called = turn.forced === undefined ? (turn.rounds === 0 ? first : undefined) : forced;
  if (called !== undefined) return { calls: [leastCall(called)] };
  return { text: turn.schema === undefined ? 'Done.' : JSON.stringify(leastValue(turn.schema)) };
}

/** Returns a call with the least arguments that the tool accepts. */
export const leastCall = ({ name, schema }: OfferedTool): Call => ({ name, arguments: leastValue(schema) });

/** Returns the least value that a JSON Schema of the usual keywords accepts. */
export function leastValue(schema: unknown): unknown {
  if (!isObject(schema)) return {};
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [alternative] = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? list : []));
  if (alternative !== undefined) return leastValue(alternative);
  switch (Array.isArray(schema['type']) ? schema['type'][0] : schema['type']) {
    case 'string':
      return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)));
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 0);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 0) }, () => leastValue(schema['items']));
    default: {
      const properties = objectOf(schema['properties']);
      const required = Array.isArray(schema['required']) ? schema['required'].map(textOf) : [];
      return Object.fromEntries(required.map((name) => [name, leastValue(properties[name])]));
    }
  }
}

/** What the provider knows when it completes a reply. */
export interface Answering {
  readonly turn: Turn;
  readonly prompt: CachedPrompt;
  readonly n: number;
  readonly tokensOf: (bytes: number) => number;
  /** Longest reply of the model. */
  readonly output: number;
  /** Whether the model thinks unless it is told not to. */
  readonly thinks: boolean;
  readonly region?: string;
}

/** Tokens of the thoughts of a model that always thinks and of which the script says nothing. */
const unseenThoughts = 16;

/** Thoughts of a model that is to show them and of which the script says nothing. */
const shownThoughts = 'What is asked is clear, so I can answer.';

/** Completes what a model says: gives ids, counts tokens, and cuts the reply at its limit. */
export function answerOf(scripted: Said, answering: Answering): Answer {
  const { turn, prompt, n, region } = answering;
  const said = turn.showsThoughts ? { thoughts: shownThoughts, ...scripted } : scripted;
  const { thoughts = '', searches = 0 } = said;
  const spoken = spokenOf(said, answering);
  const usage: Usage = {
    ...prompt,
    output: spoken.output,
    reasoning: spoken.reasoning,
    searches,
    tier: turn.tier ?? 'default',
    ...(region !== undefined && { region }),
    ...said.usage,
  };
  const thought = thoughts !== '' || usage.reasoning > 0;
  return {
    id: `fake_${n}`,
    model: said.model ?? turn.model,
    text: spoken.text,
    thoughts,
    ...(thought && { signature: `sig_${n}` }),
    calls: spoken.calls,
    end: said.end ?? endOf(spoken),
    usage,
  };
}

interface Spoken {
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
  readonly reasoning: number;
  readonly output: number;
  readonly cut: boolean;
}

const endOf = ({ cut, calls }: Spoken): End => (cut ? 'length' : calls.length > 0 ? 'calls' : 'stop');

/** Returns the part of a reply that its limit has room for; thoughts come first. */
function spokenOf(said: Said, { turn, n, tokensOf, output, thinks }: Answering): Spoken {
  const { thoughts = '', text = '' } = said;
  const limit = Math.min(turn.limit ?? output, output);
  const count = (texts: readonly string[]) => tokensOf(Buffer.byteLength(texts.join('')));
  const unseen = thoughts === '' && thinks && turn.thinks ? unseenThoughts : count([thoughts]);
  const reasoning = Math.min(said.reasoning ?? unseen, limit);
  const calls = (said.calls ?? []).map(({ id, name, arguments: written = {} }, at) => ({
    id: id ?? `call_${n}_${at}`,
    name,
    arguments: typeof written === 'string' ? written : JSON.stringify(written),
  }));
  const whole = [text, ...calls.map((call) => call.arguments)];
  // A reply whose end or count the script says is not cut again.
  const cut = said.usage?.output === undefined && said.end === undefined && count(whole) > limit - reasoning;
  if (!cut) return { text, calls, reasoning, output: reasoning + count(whole), cut };
  const [kept = '', ...written] = cutAt(whole, limit - reasoning, tokensOf);
  const begun = calls.slice(0, written.length).map((call, at) => ({ ...call, arguments: written[at] ?? '' }));
  return { text: kept, calls: begun, reasoning, output: reasoning + count([kept, ...written]), cut };
}

/** Cuts texts, one after the other, so that they have no more than so many tokens together. */
function cutAt(texts: readonly string[], tokens: number, tokensOf: (bytes: number) => number): string[] {
  const kept: string[] = [];
  for (const text of texts) {
    const before = Buffer.byteLength(kept.join(''));
    let [fits, tooLong] = [0, text.length + 1];
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      if (tokensOf(before + Buffer.byteLength(text.slice(0, middle))) <= tokens) fits = middle;
      else tooLong = middle;
    }
    kept.push(text.slice(0, fits));
    if (fits < text.length) break;
  }
  return kept;
}

/** Returns the object in arguments; of cut ones the members that are whole. */
export function parsedArguments(written: string): Json {
  for (let end = written.length; end >= 0; end = written.lastIndexOf(',', end - 1)) {
    for (const tail of ['', '}']) {
      try {
        return objectOf(JSON.parse(written.slice(0, end) + tail));
      } catch {
        // Shorter, then.
      }
    }
    if (end === 0) break;
  }
  return {};
}
