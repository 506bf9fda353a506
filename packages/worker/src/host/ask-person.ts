import type { Message, Wait } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import type { Steps } from '../context/steps.ts';

/** An answer, and the message that it came as: one message answers one question. */
interface Given {
  readonly id: string;
  readonly answer: Message;
}

/** Thrown through the step of a question that is still open; the step stays open until the answer arrives. */
class Unanswered extends Error {}

/** Questions of one attempt at an activation, each a step; the newest answer belongs to the first one without any. */
export function createAsk(
  steps: Steps,
  { record, answer }: Pick<ActivationContext, 'record' | 'answer'>,
): (wait: Wait) => Promise<Message | undefined> {
  const used = new Set<string>();
  return async ({ memory: _shown, ...request }) => {
    try {
      const given = await steps.run<Given>({
        name: 'ask',
        request,
        async action() {
          const id = record.answer?.id;
          if (id === undefined || answer === undefined || used.has(id)) throw new Unanswered();
          return { value: { id, answer } };
        },
      });
      used.add(given.id);
      return given.answer;
    } catch (error) {
      if (error instanceof Unanswered) return undefined;
      throw error;
    }
  };
}
