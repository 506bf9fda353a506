import type { AskedCall } from './outcome.ts';

/** A call of a tool that a person must approve before it is made. */
export interface CallToApprove {
  /** Number of the call among the calls of the activation, from 1. */
  readonly place: number;
  /** Number of times that the same call was made before, as a person said so. */
  readonly repetition: number;
  readonly tool: string;
  /** The MCP server that has the tool; absent: a function of the installation. */
  readonly server?: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The rule that asks, in words. */
  readonly rule: string;
  /** Time to decide, in milliseconds; absent: no end. */
  readonly expiresMs?: number;
}

/** A decision on a call, with the arguments that are sent if it is approved. */
export type DecidedCall =
  | {
      readonly type: 'approved';
      readonly arguments: Readonly<Record<string, unknown>>;
      /** A person has changed the arguments. */
      readonly edited?: true;
    }
  | { readonly type: 'rejected'; readonly reason?: string /** Nobody has decided in time. */; readonly expired?: true };

/** Thrown by a step whose call nobody has decided on: the node is to return `suspended` with it. */
export class CallUndecided extends Error {
  override readonly name = 'CallUndecided';
  readonly call: AskedCall;

  constructor(call: AskedCall) {
    super(`nobody has decided on call ${call.place}`);
    this.call = call;
  }
}
