import { inexactNumber } from '@millrace/core/exact-numbers';
import { exactText } from '@millrace/core/visible-text';
import type { AskedTask } from './use-tasks.ts';

/** The call of a tool that a person is asked to approve. */
export type Approval = NonNullable<AskedTask['approval']>;

/** What a person has chosen and written so far. */
export interface DecisionDraft {
  readonly choice?: 'approve' | 'edit' | 'reject';
  /** Edited arguments, as JSON for people. */
  readonly edited?: string;
  readonly reason?: string;
}

/** Returns what a question about a call asks, in a few words. */
export const callQuestion = ({ approval, node, prompt }: Pick<AskedTask, 'approval' | 'node' | 'prompt'>): string =>
  approval === undefined ? prompt : `May ${node} call ${exactText(approval.tool)}?`;

/** The decision that a draft is, or the reason why it is none yet. */
export type Decision =
  | { readonly type: 'open'; readonly obstacle: string; readonly edited?: Edited }
  | { readonly type: 'made'; readonly data: Readonly<Record<string, unknown>>; readonly edited?: Edited };

type Edited = Readonly<Record<string, unknown>>;

/** Reads the decision on a call. Its hash says which call the person has read. */
export function decisionOf(approval: Approval, draft: DecisionDraft): Decision {
  const { hash } = approval;
  const { choice } = draft;
  if (choice === undefined) return { type: 'open', obstacle: 'Choose what is to happen with the call.' };
  if (choice === 'edit') return editedDecision(approval, draft);
  const reason = choice === 'reject' ? reasonIn(draft) : {};
  return { type: 'made', data: { decision: choice, ...reason, hash } };
}

function editedDecision({ hash, arguments: asked }: Approval, draft: DecisionDraft): Decision {
  const text = draft.edited ?? asked;
  const edited = fieldsIn(text);
  if (edited === undefined) return { type: 'open', obstacle: 'The arguments are not a JSON object.' };
  const inexact = inexactNumber(text);
  if (inexact !== undefined)
    return { type: 'open', obstacle: `The number ${inexact} cannot be sent exactly. Write it as a text.` };
  if (JSON.stringify(edited) === JSON.stringify(fieldsIn(asked)))
    return {
      type: 'open',
      obstacle: 'The arguments are those of the model. Change them, or approve the call as it is.',
    };
  return { type: 'made', data: { decision: 'approve', arguments: edited, ...reasonIn(draft), hash }, edited };
}

const reasonIn = ({ reason = '' }: DecisionDraft) => (reason.trim() === '' ? {} : { reason: reason.trim() });

function fieldsIn(text: string): Edited | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
