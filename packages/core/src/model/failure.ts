import { NodeError } from './errors.ts';
import type {
  Failure as FailureSchema,
  Recorded,
  UnknownRule as UnknownRuleSchema,
  Warning as WarningSchema,
} from './recorded.ts';

/** Reason of a failure, for the journal and for people. `code` has a page in docs/errors. */
export type Failure = Recorded<typeof FailureSchema>;

/** A problem that did not change the outcome of an activation. `code` has a page in docs/errors. */
export type Warning = Recorded<typeof WarningSchema>;

/**
 * The rule that decides about a call whose outcome is unknown: the model is told, a tool checks it for the model, a person is
 * asked, it is made again, or the node fails.
 */
export type UnknownRule = Recorded<typeof UnknownRuleSchema>;

const mostWarnings = 20;
const mostWarningCharacters = 500;

/** Adds a warning to those of an activation, unless it is among them or there are too many; a long one is cut. */
export function addWarning(warnings: Warning[], { code, message }: Warning): void {
  const added = { code, message: message.slice(0, mostWarningCharacters) };
  const isKnown = warnings.some((other) => other.code === code && other.message === added.message);
  if (!isKnown && warnings.length < mostWarnings) warnings.push(added);
}

/** Returns whether a run has this warning once, however many of its activations have the problem. */
export const isOncePerRun = ({ code }: Warning): boolean => code === 'W_PRICE_ASSUMED' || code === 'W_FALLBACK_USED';

/** Returns the failure that an exception of a node means. */
export function failureOf(error: unknown): Failure {
  if (error instanceof NodeError) {
    const failure: Failure = { code: error.code, message: error.message };
    return error.transient ? { ...failure, transient: true } : failure;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INTERNAL', message };
}
