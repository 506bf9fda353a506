import type { Message, MessageBody, MessageId, MessageRef, NewMessage } from '@millrace/core';
import { bodyOf } from '@millrace/core';

/**
 * Collects the new bodies of a command. A message that is one of the inputs, or differs from another one only in how
 * it travels, is stored by reference: nodes that forward messages store nothing.
 */
export class BodyCollector {
  readonly bodies: MessageBody[] = [];
  readonly #places = new Map<Message, MessageId | number>();

  constructor(stored: ReadonlyMap<Message, MessageRef>) {
    for (const [message, ref] of stored) this.#places.set(message, ref.id);
  }

  add(message: Message): NewMessage {
    const known = this.#places.get(message);
    if (known !== undefined) return travelling(message, known);
    const place = this.bodies.push(bodyOf(message)) - 1;
    this.#places.set(message, place);
    return travelling(message, place);
  }

  /** A message with the body of another one that was brought before. */
  addAs(message: Message, like: Message): NewMessage {
    return travelling(message, this.add(like).body);
  }
}

const travelling = ({ role, source, keep }: Message, body: MessageId | number): NewMessage => ({
  role,
  source,
  body,
  ...(keep ? { keep: true as const } : {}),
});
