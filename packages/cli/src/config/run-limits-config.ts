import type { RunLimits } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { VariableDescription } from './variable.ts';
import { variable, wholeNumber } from './variable.ts';

/** A limit from 1 to `most`. */
const limit = (most: number, about: Pick<VariableDescription, 'description' | 'otherwise'>) =>
  variable(wholeNumber(1, most).optional(), { ...about, readBy: 'both' });

/** Environment variables of the limits of the size of a run. */
export const runLimitVariables = {
  MILLRACE_MAX_FAN_OUT_ITEMS: limit(10_000_000, {
    description: 'Maximum number of items of one fan-out; with more it [fails](../errors/FAN_OUT_TOO_LARGE.md).',
    otherwise: '`250000`',
  }),
  MILLRACE_MAX_WAITING_MESSAGES: limit(10_000_000, {
    description:
      'Maximum number of messages that wait at one node of a run; with more the run [fails](../errors/INBOX_TOO_LARGE.md).',
    otherwise: '`250000`',
  }),
  // A larger commit exceeds the maximum length of a JavaScript string, and the buffer of a Redis.
  MILLRACE_MAX_COMMIT_MB: limit(400, {
    description:
      'Maximum size of one step of a run that is [written at once](../errors/COMMIT_TOO_LARGE.md), in millions of characters.',
    otherwise: '`256`',
  }),
};

type Variables = { [Name in keyof typeof runLimitVariables]?: number | undefined };

/** Parses the limits that are set. */
export function runLimitsIn(variables: Variables): { readonly limits: Partial<RunLimits> } {
  const { MILLRACE_MAX_FAN_OUT_ITEMS: fanOutItems, MILLRACE_MAX_WAITING_MESSAGES: waitingMessages } = variables;
  const megabytes = variables.MILLRACE_MAX_COMMIT_MB;
  return {
    limits: {
      ...omitUndefined({ fanOutItems, waitingMessages }),
      ...(megabytes === undefined ? {} : { commitCharacters: megabytes * 1024 * 1024 }),
    },
  };
}
