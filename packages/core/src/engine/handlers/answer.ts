import { attachedFiles } from '../../model/messages/attachment.ts';
import type { Command } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { locateActivation, runOf } from '../state/lookup.ts';

/** Gives a waiting activation its answer, and wakes it; the first answer wins. */
export function answer(
  { plan, draft, emit, toMessageRef, nonce, at }: DecisionContext,
  command: Extract<Command, { type: 'answer' }>,
): Refusal | undefined {
  const { status } = runOf(draft);
  if (status !== 'running' && status !== 'paused')
    return refuse('RUN_NOT_ACTIVE', `The run is ${status}: its questions are withdrawn.`);
  const record = draft.get(`activation/${command.activation}`);
  if (record?.wait === undefined || record.wait.kind === 'event')
    return refuse('TASK_UNKNOWN', `Activation ${command.activation} does not wait for an answer.`);
  if (record.answer !== undefined)
    return refuse('TASK_ANSWERED', `Activation ${command.activation} has been answered already.`);
  const files = attachedFiles(command.bodies, at);
  const { frame } = locateActivation(plan, draft, record);
  emit({
    type: 'activation.answered',
    activation: command.activation,
    answer: toMessageRef(command.answer),
    ...(command.by === undefined ? {} : { by: command.by }),
    token: nonce,
  });
  if (files.length > 0) emit({ type: 'files.attached', frame, files });
  return undefined;
}
