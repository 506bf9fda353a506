import type {
  ApprovalRecord,
  AskedCall,
  CallToApprove,
  DecidedCall,
  StartStepCommand,
  StateView,
  Wake,
} from '@millrace/core';
import { approvalsOf, CallUndecided, omitUndefined } from '@millrace/core';
import { callHash, canonicalArguments } from '@millrace/runtime';

/** State of a call that a person must approve; `hash` is that of the call as it is about to be sent. */
export type ApprovalState =
  | { readonly type: 'open'; readonly call: AskedCall }
  | { readonly type: 'rejected'; readonly decided: Extract<DecidedCall, { type: 'rejected' }> }
  | {
      readonly type: 'approved';
      readonly decided: Extract<DecidedCall, { type: 'approved' }>;
      readonly hash: string;
    };

/** Parts of an activation that a call is asked about in. */
interface AskingActivation {
  readonly wake: Pick<Wake, 'run' | 'activation'>;
  readonly state: StateView;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Hides secrets: people must see exactly what is sent, so a call that contains one cannot be approved. */
  hideIn<T>(value: T): T;
}

/** Returns the state of a call: people decide on exactly this one, by its hash. */
export function approvalState(call: CallToApprove, { wake, state, now, hideIn }: AskingActivation): ApprovalState {
  const { place, repetition, tool, server, arguments: visible } = hideIn(call);
  const identity = { place, tool, ...omitUndefined({ repetition: repetition || undefined, server }) };
  const hashOf = (sent: string): string => callHash({ ...wake, ...identity, arguments: sent });
  const shown = canonicalArguments(visible);
  const hash = hashOf(shown);
  const known = approvalsOf(state, wake.activation).find((one) => one.hash === hash);
  if (known?.decided !== undefined && !known.spent) return decidedState(known.decided, call, hashOf);
  const until =
    (known?.spent ? undefined : known?.until) ?? (call.expiresMs === undefined ? undefined : now + call.expiresMs);
  const parameters = JSON.stringify(call.parameters);
  return {
    type: 'open',
    call: {
      ...identity,
      arguments: shown,
      parameters,
      rule: known?.spent ? `${call.rule}; the call was made before with an approval, and failed` : call.rule,
      hash,
      ...omitUndefined({ until }),
    },
  };
}

function decidedState(
  { decision, reason, arguments: given }: NonNullable<ApprovalRecord['decided']>,
  call: CallToApprove,
  hashOf: (sent: string) => string,
): ApprovalState {
  if (decision !== 'approve') {
    const expired = decision === 'expire' ? true : undefined;
    return { type: 'rejected', decided: { type: 'rejected', ...omitUndefined({ reason, expired }) } };
  }
  if (given === undefined)
    return {
      type: 'approved',
      decided: { type: 'approved', arguments: call.arguments },
      hash: hashOf(canonicalArguments(call.arguments)),
    };
  const edited = JSON.parse(given) as CallToApprove['arguments']; // an object, as the API has checked
  return {
    type: 'approved',
    decided: { type: 'approved', arguments: edited, edited: true },
    hash: hashOf(canonicalArguments(edited)),
  };
}

/** Returns the decision on the call of a step. Throws if there is none yet. */
export function decisionOf(approval: ApprovalState | undefined): { readonly decided?: DecidedCall } {
  if (approval?.type === 'open') throw new CallUndecided(approval.call);
  return approval === undefined ? {} : { decided: approval.decided };
}

/** Returns what a step that makes an approved call is begun with. */
export const approvedBy = (approval: ApprovalState | undefined): Pick<StartStepCommand, 'approval'> =>
  approval?.type === 'approved' ? { approval: approval.hash } : {};
