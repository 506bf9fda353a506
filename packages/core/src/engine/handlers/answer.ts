import type { ActivationId } from '../../model/ids.ts';
import { attachedFiles } from '../../model/messages/attachment.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { NewMessage } from '../commands/new-message.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { locateActivation, runOf, suspensionOf } from '../state/lookup.ts';

/** The answer of a person, or of a program in place of a person, to an activation that asks. */
interface AnswerCommand {
  readonly type: 'answer';
  readonly activation: ActivationId;
  /** Number of the suspension with which the activation asks, from 2; absent: the first one. */
  readonly question?: number;
  readonly answer: NewMessage;
  /** Name of the person who answers, if it is known. */
  readonly by?: string;
  readonly bodies: readonly MessageBody[];
}

/** Gives a waiting activation its answer, and wakes it; the first answer wins. */
export function answer(
  { plan, draft, emit, toMessageRef, nonce, at }: DecisionContext,
  command: AnswerCommand,
): Refusal | undefined {
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}: its questions are withdrawn.`);
  const record = draft.get(`activation/${command.activation}`);
  const { question = 1 } = command;
  const { suspensions = 0 } = record ?? {};
  if (question < suspensions)
    return refuse(
      'TASK_ANSWERED',
      `Question ${question} of activation ${command.activation} is no longer open: the activation asks another one.`,
    );
  if (record?.wait === undefined || record.wait.kind === 'event' || question > suspensions)
    return refuse('TASK_UNKNOWN', `Activation ${command.activation} does not wait for an answer.`);
  if (record.wait.kind === 'approval')
    return refuse(
      'ANSWER_INVALID',
      `Activation ${command.activation} asks for the approval of calls: decide on each of its questions, which have ids of their own.`,
    );
  if (record.answer !== undefined)
    return refuse('TASK_ANSWERED', `Activation ${command.activation} has been answered already.`);
  const files = attachedFiles(command.bodies, at);
  const { frame } = locateActivation(plan, draft, record);
  emit({
    type: 'activation.answered',
    activation: command.activation,
    answer: toMessageRef(command.answer),
    ...suspensionOf(draft, command.activation),
    ...(command.by === undefined ? {} : { by: command.by }),
    token: nonce,
  });
  if (files.length > 0) emit({ type: 'files.attached', frame, files });
  return undefined;
}
