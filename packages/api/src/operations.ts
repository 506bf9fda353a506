import type { Operation } from './operation.ts';
import * as keys from './operator/keys.ts';
import * as limits from './operator/limits.ts';
import * as runControl from './runs/control.ts';
import * as terminations from './runs/terminations.ts';

/** All operations, in the order in which the reference lists them. */
export const operations: readonly Operation[] = [runControl, terminations, keys, limits].flatMap((resource) =>
  Object.values<Operation>(resource),
);
