import type { MessageId } from '../../model/ids.ts';
import type { Role } from '../../model/messages/message.ts';

/*
 * The journal stores the request of a model call by content: it names the messages that the run holds already, and says
 * which call of the activation the request continues. So a conversation is stored once, whatever the number of its calls.
 * The named messages are one text, because a conversation names many of them: `um1 as0+ ts1=call_7` means the message m1
 * from the user, the reply of step 0 with its calls of tools, and the result of step 1 as the answer to `call_7`.
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
export const writeNamed = (messages: readonly NamedMessage[]): string =>
  messages
    .map(
      ({ role, from, calls, call }) =>
        `${letters[role]}${from}${calls ? '+' : ''}${call === undefined ? '' : `=${encodeURIComponent(call)}`}`,
    )
    .join(' ');

/** Reads the messages that `writeNamed` has written. */
export const readNamed = (text: string): readonly NamedMessage[] => (text === '' ? [] : text.split(' ').map(namedIn));

function namedIn(word: string): NamedMessage {
  const [, letter = '', from = '', calls, call] = /^([suat])([ms]\d+)(\+)?(?:=(.*))?$/.exec(word) ?? [];
  const role = roles[letter];
  if (role === undefined) throw new Error(`"${word}" names no message`);
  return {
    role,
    from: from as NamedMessage['from'], // the pattern admits nothing else
    ...(calls === undefined ? {} : { calls: true }),
    ...(call === undefined ? {} : { call: decodeURIComponent(call) }),
  };
}
