import type { Host, Message, ToolAnswer, ToolCall, UnknownRule, Wait } from '@millrace/core';
import { NodeError, textOf } from '@millrace/core';
import { exactText } from '@millrace/core/visible-text';
import { flatten } from '../../flatten.ts';
import type { BoundTool, ToolArguments, UnknownOutcome } from './bound-tool.ts';

/*
 * A call with the effect `once` that another attempt has begun, or that did not answer, has an unknown outcome. The journal
 * has it as the result of the call, so that each later attempt decides in the same way; see unknown-step.ts in the core.
 */

const unknownText =
  'The outcome of this call is unknown: it was begun, and its result is lost. It may have taken effect.';

/** Returns the answer to a call whose outcome is unknown, by the rule that decides about it. */
export const unknownAnswer = (rule: UnknownRule): ToolAnswer => ({
  content: rule === 'tell' ? `${unknownText} Check if it has, before you call the tool again.` : unknownText,
  unknown: rule,
});

/** A call with an unknown outcome. */
export interface LostCall {
  readonly call: ToolCall;
  /** Arguments that were sent, which may be those of a person. */
  readonly args: ToolArguments;
  readonly answer: ToolAnswer;
  readonly policy: UnknownOutcome;
  readonly host: Host;
  /** Input of the agent, for the person who is asked. */
  readonly input: readonly Message[];
  /** Asks another tool in a step of its own. */
  check(tool: BoundTool, args: ToolArguments): Promise<ToolAnswer>;
}

/** What follows: an answer for the model, a question to a person, or that the call is made again. */
export type UnknownDecision =
  | { readonly type: 'answered'; readonly answer: ToolAnswer }
  | { readonly type: 'suspended'; readonly wait: Wait }
  | { readonly type: 'again' };

/** Decides about a call whose outcome is unknown. Throws if the node is to fail. */
export async function decideUnknown(lost: LostCall): Promise<UnknownDecision> {
  const { answer, policy, args, check } = lost;
  // The rule of the journal decides, also if that of the workflow is another one by now.
  if (answer.unknown === 'fail') throw outcomeUnknown(lost, 'The rule `fail` of `on_unknown` applies.');
  if (answer.unknown === 'ask') return askPerson(lost);
  if (answer.unknown !== 'verify' || policy.rule !== 'verify') return answered(unknownAnswer('tell').content);
  const found = await check(policy.tool, policy.argumentsOf(args));
  return answered(`${unknownText} The tool "${policy.tool.name}" was asked about it, and answers: ${textOf(found)}`);
}

const answered = (content: ToolAnswer['content']): UnknownDecision => ({ type: 'answered', answer: { content } });

async function askPerson(lost: LostCall): Promise<UnknownDecision> {
  const { call, args, host, input } = lost;
  const prompt = [
    `The outcome of a call of "${call.name}" is unknown: it was begun, and its result is lost. Find out if it took effect.`,
    `Arguments: ${exactText(JSON.stringify(args))}`,
    'Answer "happened", "did not happen", which makes the call again, or "fail". The model is told any other answer.',
  ].join('\n\n');
  const wait: Wait = { kind: 'human', prompt, input: flatten(input) };
  const message = await host.ask(wait);
  if (message === undefined) return { type: 'suspended', wait };
  const said = textOf(message).trim();
  switch (said.toLowerCase().replace(/[.!"]/g, '')) {
    case 'happened':
      return answered(`${unknownText} A person has checked: it has taken effect. Do not repeat it.`);
    case 'did not happen':
      return { type: 'again' };
    case 'fail':
      throw outcomeUnknown(lost, 'A person has decided that the node fails.');
    default:
      return answered(`${unknownText} A person who was asked says: ${said}`);
  }
}

const outcomeUnknown = ({ call, host }: LostCall, reason: string): NodeError =>
  new NodeError(
    'TOOL_OUTCOME_UNKNOWN',
    `Agent "${host.node}" cannot know if its call of "${call.name}" took effect: it was begun, and its result is lost. ${reason}`,
  );
