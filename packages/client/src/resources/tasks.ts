import type { Client, OperationInput, RequestOptions } from '../client.ts';
import type { Answer, TaskCounts, TaskDetail } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import { fileIdOf } from './files.ts';

/** Answer: a text, or a text or the data of a form, with files or the name of its author. */
export type TaskAnswer =
  | string
  | (Omit<Answer, 'attachments'> & { readonly attachments?: readonly (string | { readonly id: string })[] });

/** Filter of a list of questions. */
export interface TasksQuery extends Omit<OperationInput<'tasks.list'>, 'cursor' | 'limit'> {
  /** Number of questions of a page, at most 200. */
  readonly limit?: number;
}

/** Questions to people. */
export interface TasksResource {
  /** Lists the open questions of all runs, those of the newest run first. */
  list(query?: TasksQuery, options?: RequestOptions): Pages<TaskDetail>;
  /** Counts open questions, and those that the caller has claimed. */
  counts(query?: OperationInput<'tasks.counts'>, options?: RequestOptions): Promise<TaskCounts>;
  get(id: string, options?: RequestOptions): Promise<TaskDetail>;
  /** Returns a file in the input of an open question. */
  attachment(id: string, file: string, options?: RequestOptions): Promise<Blob>;
  /** Claims a question (default: for ten minutes), during which other people cannot answer it. */
  claim(
    id: string,
    claim: { readonly assignee: string; readonly seconds?: number },
    options?: RequestOptions,
  ): Promise<TaskDetail>;
  /** Releases a claim. */
  release(id: string, assignee: string, options?: RequestOptions): Promise<TaskDetail>;
  /** Answers a question. The first answer counts; later ones are refused with `TASK_ANSWERED`. */
  answer(
    id: string,
    answer: TaskAnswer,
    options?: RequestOptions,
  ): Promise<{ readonly runId: string; readonly task: string }>;
}

/** Returns the methods of questions. */
export const createTasksResource = (client: Client): TasksResource => ({
  list: (query = {}, options) => pagesOf((cursor) => client.call('tasks.list', { ...query, cursor }, options)),
  counts: (query = {}, options) => client.call('tasks.counts', query, options),
  get: (id, options) => client.call('tasks.get', { id }, options),
  attachment: (id, file, options) => client.content('tasks.attachment', { id, file }, options),
  claim: (id, claim, options) => client.call('tasks.claim', { id, ...claim }, options),
  release: (id, assignee, options) => client.call('tasks.release', { id, assignee }, options),
  answer: (id, answer, options) => client.call('tasks.answer', { id, ...answerBody(answer) }, options),
});

function answerBody(answer: TaskAnswer): Answer {
  if (typeof answer === 'string') return { text: answer };
  const { attachments, ...rest } = answer;
  return { ...rest, ...(attachments === undefined ? {} : { attachments: attachments.map(fileIdOf) }) };
}
