import type { MessageId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { NewRequest, NewText } from '../commands/new-request.ts';
import type { NamedMessage } from '../records/asked-request.ts';
import { writeNamed } from '../records/asked-request.ts';
import type { EventOf } from '../records/event.ts';
import type { DecisionContext } from './decision-context.ts';

/** Messages that calls of models share, oldest first. */
export const sharedTextsKey = `asked/${rootScope}` as const;

type Stored = Pick<EventOf<'step.started'>, 'asked' | 'bodies'>;

/**
 * Stores the texts of a request that the run does not hold yet. Returns the fields of the event `step.started`, which must
 * be the next one.
 */
export function storeRequest(
  { draft, writeMessage }: Pick<DecisionContext, 'draft' | 'writeMessage'>,
  { settings, tools, base, messages }: NewRequest,
): Stored {
  const known = draft.list(sharedTextsKey);
  const texts: Record<string, MessageId> = {};
  let bodies = 0;
  const write = ({ body }: NewText): MessageId => {
    bodies += 1;
    return writeMessage(body).id;
  };
  const idOf = (text: NewText): MessageId => {
    if (text.digest === undefined) return write(text);
    const before = known.find(({ digest }) => digest === text.digest)?.id ?? texts[text.digest];
    if (before !== undefined) return before;
    const id = write(text);
    texts[text.digest] = id;
    return id;
  };
  const asked = omitUndefined({
    settings: settings && idOf(settings),
    tools: tools === 'none' ? tools : tools && idOf(tools),
    base: base?.step,
    kept: base?.kept,
    messages: writeNamed(messages.map((one) => ('body' in one ? named(one, idOf(one)) : one))),
    texts: Object.keys(texts).length === 0 ? undefined : texts,
  });
  return bodies === 0 ? { asked } : { asked, bodies };
}

const named = ({ body: { role, toolCalls } }: NewText, from: MessageId): NamedMessage =>
  toolCalls === undefined ? { role, from } : { role, from, calls: true };
