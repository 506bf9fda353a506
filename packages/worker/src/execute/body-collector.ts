import type { Brought, Message, MessageBody, MessageId, MessageRef } from '@millrace/core';
import { bodyOf } from '@millrace/core';

/**
 * Collects the new bodies of a command. A message that is one of the inputs, or differs from another one only in how
 * it travels, is stored by reference: nodes that forward messages store nothing.
 */
export class Bringing {
  readonly bodies: MessageBody[] = [];
  readonly #places = new Map<Message, MessageId | number>();

  constructor(stored: ReadonlyMap<Message, MessageRef>) {
    for (const [message, ref] of stored) this.#places.set(message, ref.id);
  }

  bring(message: Message): Brought {
    const known = this.#places.get(message);
    if (known !== undefined) return travelling(message, known);
    const place = this.bodies.push(bodyOf(message)) - 1;
    this.#places.set(message, place);
    return travelling(message, place);
  }

  /** A message with the body of another one that was brought before. */
  bringAs(message: Message, like: Message): Brought {
    return travelling(message, this.bring(like).body);
  }
}

const travelling = ({ role, source, keep }: Message, body: MessageId | number): Brought => ({
  role,
  source,
  body,
  ...(keep ? { keep: true as const } : {}),
});
