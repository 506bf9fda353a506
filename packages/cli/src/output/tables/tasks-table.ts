import type { TaskDetail } from '@millrace/client';
import { ageText } from './age.ts';
import { columns } from './columns.ts';
import { shortLine } from './short-line.ts';

/** Open question with the time at which it was asked. */
export type TimedTask = TaskDetail & { readonly askedAt: number };

/** Returns open questions as aligned columns; `now` is in milliseconds since 1970. */
export const tasksTable = (tasks: readonly TimedTask[], now: number): string =>
  columns(
    ['TASK', 'AGE', 'WORKFLOW', 'NODE', 'CLAIMED BY', 'PROMPT'],
    tasks.map(({ id, askedAt, workflow, node, assignee = '', prompt }) => [
      id,
      ageText(now - askedAt),
      workflow,
      node,
      assignee,
      shortLine(prompt),
    ]),
  );
