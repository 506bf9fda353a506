import type { RunLimits } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { z } from 'zod';

const limit = (least: number, most: number) =>
  z.preprocess((value) => (value === '' ? undefined : value), z.coerce.number().int().min(least).max(most).optional());

/** The variables that say how much one run may hold in one place. */
export const runLimitVariables = {
  MILLRACE_MAX_FAN_OUT_ITEMS: limit(1, 10_000_000),
  MILLRACE_MAX_WAITING_MESSAGES: limit(1, 10_000_000),
  // Beyond that neither a text of JavaScript nor the buffer of a Redis holds a commit.
  MILLRACE_MAX_COMMIT_MB: limit(1, 400),
};

type Variables = { [Name in keyof typeof runLimitVariables]?: number | undefined };

/** Reads the limits that are set. */
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
