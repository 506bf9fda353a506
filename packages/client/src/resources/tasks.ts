import type { Client, OperationInput } from '../client.ts';
import type { Answer, TaskCounts, TaskDetail } from '../generated/types.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import { fileIdOf } from './files.ts';

/** Answer: a text, or one with files, or in somebody's name. */
export type TaskAnswer =
  | string
  | (Omit<Answer, 'attachments'> & { readonly attachments?: readonly (string | { readonly id: string })[] });

/** Filter of a list of questions. */
export interface TasksQuery extends Omit<OperationInput<'tasks.list'>, 'cursor' | 'limit'> {
  /** Questions of a page, at most 200. */
  readonly limit?: number;
}

/** Questions to people. */
export interface TasksResource {
  /** The open ones of all runs, those of the newest run first. */
  list(query?: TasksQuery): Pages<TaskDetail>;
  /** Counts open questions, and those that the caller has claimed. */
  counts(query?: OperationInput<'tasks.counts'>): Promise<TaskCounts>;
  get(id: string): Promise<TaskDetail>;
  /** Takes it on for a while (default: ten minutes): until then nobody else may answer it. */
  claim(id: string, claim: { readonly assignee: string; readonly seconds?: number }): Promise<TaskDetail>;
  /** Gives it back. */
  release(id: string, assignee: string): Promise<TaskDetail>;
  /** Answers it; the first answer counts, and any other is refused with `TASK_ANSWERED`. */
  answer(id: string, answer: TaskAnswer): Promise<{ readonly runId: string; readonly task: string }>;
}

/** Makes the methods of questions. */
export const createTasksResource = (client: Client): TasksResource => ({
  list: (query = {}) => pagesOf((cursor) => client.call('tasks.list', { ...query, cursor })),
  counts: (query = {}) => client.call('tasks.counts', query),
  get: (id) => client.call('tasks.get', { id }),
  claim: (id, claim) => client.call('tasks.claim', { id, ...claim }),
  release: (id, assignee) => client.call('tasks.release', { id, assignee }),
  answer: (id, answer) => client.call('tasks.answer', { id, ...answerBody(answer) }),
});

function answerBody(answer: TaskAnswer): Answer {
  if (typeof answer === 'string') return { text: answer };
  const { attachments, ...rest } = answer;
  return { ...rest, ...(attachments === undefined ? {} : { attachments: attachments.map(fileIdOf) }) };
}
