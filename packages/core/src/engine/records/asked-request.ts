import type { MessageId } from '../../model/ids.ts';
import type { Role } from '../../model/messages/message.ts';

/*
 * The journal stores the request of a model call by content: it names the messages that the run holds already, and says
 * which call of the activation the request continues. So a conversation is stored once, whatever the number of its calls.
 * The named messages are one text, because a conversation names many of them: `um1 as0+ ts1=call_7` means the message m1
 * from the user, the reply of step 0 with its calls of tools, and the result of step 1 as the answer to `call_7`. A message
 * with a higher number than the message before it is written with the difference, so `um1 a+4 u+2` is m1, m5 and m7. `2*18`
 * stands for the two words before it, 18 times more: nodes that take turns name their messages at the same distances, and so
 * a conversation that keeps all messages has a short text in each of its rounds.
 */

/** A message to a model, named by where its content is. */
export interface NamedMessage {
  readonly role: Role;
  /** A message of the run, or the result of a step of the activation. */
  readonly from: MessageId | `s${number}`;
  /** It has the calls of tools of that message or reply. */
  readonly calls?: true;
  /** Id of the call that it answers; absent: as the message has it. */
  readonly call?: string;
}

const letters = { system: 's', user: 'u', assistant: 'a', tool: 't' } as const satisfies Record<Role, string>;
const roles: Readonly<Record<string, Role>> = { s: 'system', u: 'user', a: 'assistant', t: 'tool' };

/** Writes named messages as one text. */
export function writeNamed(messages: readonly NamedMessage[]): string {
  let before = Number.POSITIVE_INFINITY;
  const words = messages.map(({ role, from, calls, call }) => {
    const number = Number(from.slice(1));
    const isMessage = from.startsWith('m');
    const place = isMessage && number > before ? `+${number - before}` : from;
    if (isMessage) before = number;
    return `${letters[role]}${place}${calls ? '+' : ''}${call === undefined ? '' : `=${encodeURIComponent(call)}`}`;
  });
  return withoutRepetitions(words).join(' ');
}

/** Reads the messages that `writeNamed` has written. */
export function readNamed(text: string): readonly NamedMessage[] {
  let before = 0;
  return withRepetitions(text === '' ? [] : text.split(' ')).map((word) => {
    const [, letter = '', from = '', calls, call] = /^([suat])([ms+]\d+)(\+)?(?:=(.*))?$/.exec(word) ?? [];
    const role = roles[letter];
    if (role === undefined) throw new Error(`"${word}" names no message`);
    const number = Number(from.slice(1)) + (from.startsWith('+') ? before : 0);
    if (!from.startsWith('s')) before = number;
    return {
      role,
      from: from.startsWith('s') ? `s${number}` : `m${number}`,
      ...(calls === undefined ? {} : { calls: true }),
      ...(call === undefined ? {} : { call: decodeURIComponent(call) }),
    };
  });
}

/** Maximum number of words that are repeated together: the messages of a round. */
const longestRound = 8;

/** Writes words that follow each other several times once, with the number of the further times. */
function withoutRepetitions(words: readonly string[]): readonly string[] {
  const written: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { length, times } = repetitionAt(words, at);
    for (const word of words.slice(at, at + length)) written.push(word);
    if (times > 0) written.push(`${length}*${times}`);
    at += length * (times + 1);
  }
  return written;
}

/** Returns the round at a place that saves most words; one word that is not repeated if none does. */
function repetitionAt(words: readonly string[], at: number): { readonly length: number; readonly times: number } {
  let best = { length: 1, times: 0 };
  for (let length = 1; length <= longestRound; length++) {
    let end = at + length;
    while (end < words.length && words[end] === words[end - length]) end++;
    const times = Math.floor((end - at) / length) - 1;
    if (length * times > best.length * best.times) best = { length, times };
  }
  return best.length * best.times > 1 ? best : { length: 1, times: 0 };
}

function withRepetitions(words: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (const word of words) {
    const [, length, times] = /^(\d+)\*(\d+)$/.exec(word) ?? [];
    const round = length === undefined ? [word] : all.slice(-Number(length));
    for (let left = Number(times ?? 1); left > 0; left--) for (const one of round) all.push(one);
  }
  return all;
}
