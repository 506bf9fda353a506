import type { AnswerInput, TaskDetail, TaskListQueryInput } from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import { fileIdOf } from './files.ts';

/** An answer: a text, or one with files, or in somebody's name. */
export type TaskAnswer =
  | string
  | (Omit<AnswerInput, 'attachments'> & { readonly attachments?: readonly (string | { readonly id: string })[] });

/** Which questions are listed. */
export interface TasksQuery extends Omit<TaskListQueryInput, 'cursor' | 'limit'> {
  /** Questions of a page, at most 200. */
  readonly limit?: number;
}

/** Questions to people. */
export interface TasksResource {
  /** The open ones of all runs, those of the newest run first. */
  list(query?: TasksQuery): Pages<TaskDetail>;
  get(id: string): Promise<TaskDetail>;
  /** Takes it on for a while (default: ten minutes): until then nobody else may answer it. */
  claim(id: string, claim: { readonly assignee: string; readonly seconds?: number }): Promise<TaskDetail>;
  /** Gives it back. */
  release(id: string, assignee: string): Promise<TaskDetail>;
  /** Answers it; the first answer counts, and any other is refused with `TASK_ANSWERED`. */
  answer(id: string, answer: TaskAnswer): Promise<{ readonly runId: string; readonly task: string }>;
}

/** The questions of a tenant. */
export function createTasksResource(http: Http): TasksResource {
  const at = (id: string): string => `v1/tasks/${encodeURIComponent(id)}`;
  return {
    list: (query = {}) => pagesOf((cursor) => http.json<Page<TaskDetail>>('v1/tasks', { query: { ...query, cursor } })),
    get: (id) => http.json(at(id)),
    claim: (id, claim) => http.json(`${at(id)}/claim`, { method: 'POST', json: claim }),
    release: (id, assignee) => http.json(`${at(id)}/release`, { method: 'POST', json: { assignee } }),
    answer: (id, answer) => http.json(`${at(id)}/answer`, { method: 'POST', json: answerBody(answer) }),
  };
}

function answerBody(answer: TaskAnswer): AnswerInput {
  if (typeof answer === 'string') return { text: answer };
  const { attachments, ...rest } = answer;
  return { ...rest, ...(attachments === undefined ? {} : { attachments: attachments.map(fileIdOf) }) };
}
