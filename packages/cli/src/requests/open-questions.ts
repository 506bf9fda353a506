import type { Millrace, Task } from '@millrace/client';
import { parseQuestionId } from '@millrace/core/question-id';

/** Questions whose ages are read at a time. */
const atATime = 10;

/** Returns questions with the times at which they were asked, without those that were answered meanwhile. */
export async function withTimes<T extends Task>(
  { runs }: Millrace,
  tasks: readonly T[],
): Promise<readonly (T & { readonly askedAt: number })[]> {
  const timed: (T & { readonly askedAt: number })[] = [];
  for (let next = 0; next < tasks.length; next += atATime) {
    const read = tasks.slice(next, next + atATime).map(async (task) => {
      const { activation } = parseQuestionId(task.id);
      const { askedAt, question } = await runs.get(task.runId).activation(activation);
      return question === undefined || askedAt === undefined ? [] : [{ ...task, askedAt }];
    });
    for (const found of (await Promise.all(read)).flat()) timed.push(found);
  }
  return timed;
}
