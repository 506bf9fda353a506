import type { UnknownRule } from '../../../model/failure.ts';
import type { ActivationId } from '../../../model/ids.ts';
import type { MessageBody } from '../../../model/messages/message.ts';
import type { DecisionContext, Refusal } from '../../state/decision-context.ts';
import { locateActivation, nodeKeyOf } from '../../state/lookup.ts';

/*
 * Calls that must not be made twice. When an attempt finds that another one has begun such a call and left no result, or when
 * the call itself did not answer, its outcome is unknown, and a rule decides what follows. Of several results the first one
 * counts, also if it says that the outcome is unknown; one that comes later is kept for people.
 */

/** Keeps the result of a call that has returned after another result of it counted, or after its activation was settled. */
export interface LateStepCommand {
  readonly type: 'step.late';
  readonly activation: ActivationId;
  readonly step: number;
  readonly name: string;
  /** Id of the node, which names it once the activation is settled. */
  readonly node: string;
  readonly bodies: readonly MessageBody[];
}

/** Records a result that does not count, also in a run that has ended. */
export function lateStep(context: DecisionContext, command: LateStepCommand): Refusal | undefined {
  const { activation, step, name, node } = command;
  const { id } = context.toMessageRef({ role: 'tool', source: '', body: 0 });
  context.emit({
    type: 'step.late',
    activation,
    step,
    result: id,
    node: nodeKey(context, activation) ?? node,
    warning: {
      code: 'W_TOOL_RESULT_LATE',
      message: `The call "${name}" has returned after its outcome was decided without it: it may have taken effect. Its result is in the journal.`,
    },
  });
  return undefined;
}

interface UnknownStep {
  readonly activation: ActivationId;
  readonly step: number;
  readonly name: string;
  readonly rule: UnknownRule;
}

/** Records that the outcome of a call is unknown, and the rule that decides what follows. */
export function noteUnknownStep(context: DecisionContext, { activation, step, name, rule }: UnknownStep): void {
  context.emit({
    type: 'step.unknown',
    activation,
    step,
    rule,
    node: nodeKey(context, activation) ?? '',
    warning: {
      code: 'W_TOOL_OUTCOME_UNKNOWN',
      message: `The outcome of the call "${name}" is unknown: it was begun, and its result is lost. ${consequences[rule]}`,
    },
  });
}

const consequences = {
  tell: 'The model is told, and asked to check.',
  verify: 'The tool that `on_unknown` names is asked, and the model gets its answer.',
  ask: 'A person is asked.',
  repeat: 'It is made again.',
  fail: 'The node fails.',
} satisfies Record<UnknownRule, string>;

function nodeKey({ plan, draft }: DecisionContext, activation: ActivationId): string | undefined {
  const record = draft.get(`activation/${activation}`);
  if (record === undefined) return undefined;
  const { graph, node } = locateActivation(plan, draft, record);
  return node === undefined ? undefined : nodeKeyOf(graph, node);
}
