import type { ActivationId, Attachment, QuestionPlace, RunId, Wait } from '@millrace/core';
import {
  attachmentsOf,
  inputOf,
  omitUndefined,
  questionId,
  questionOf,
  RequestError,
  withoutTenant,
} from '@millrace/core';
import { activationEntries } from '../activations/activation-entries.ts';
import { listActivations } from '../activations/list-activations.ts';
import type { Runs, Task } from '../contract/runs.ts';
import type { RunCursor, RunPage, RunQuery, Store } from '../ports/store/port.ts';
import type { Claim, Claims } from './claims.ts';
import { aboutCall } from './tasks.ts';

/** A question, as clients that may answer it see it. */
export interface InboxTask extends Task {
  readonly workflow: string;
  /** `closed`: it was answered, or was withdrawn when its run ended. */
  readonly status: 'open' | 'claimed' | 'closed';
  /** Claim of the question, if it is claimed. */
  readonly claim?: Claim;
  /** Files in the input of the node; absent in lists. */
  readonly attachments?: readonly Attachment[];
}

/** Filter of a list of questions; the runs that began last come first. */
export interface InboxQuery extends Pick<RunQuery, 'tenant' | 'workflow' | 'order' | 'limit'> {
  readonly run?: RunId;
  readonly status?: 'open' | 'claimed';
  /** Only questions that this person has claimed. */
  readonly assignee?: string;
  readonly after?: InboxCursor;
}

/** Position of a question in lists. */
export interface InboxCursor extends RunCursor, QuestionPlace {}

/** A part of a list. A page may have fewer questions than were asked for, or none, and yet not be the last. */
export interface InboxPage {
  readonly tasks: readonly InboxTask[];
  readonly next?: InboxCursor;
}

/** Sources of questions. */
export interface InboxSource {
  readonly runs: Pick<Runs, 'list' | 'describe' | 'tasks' | 'refresh' | 'messages' | 'projection' | 'heads'>;
  readonly store: Pick<Store, 'journal'>;
  readonly claims: Claims;
}

/** Numbers of questions; with `capped`, there are more than were counted. */
export interface InboxCounts {
  readonly open: number;
  readonly claimed: number;
  /** Claimed by the person who asks. */
  readonly mine: number;
  readonly capped: boolean;
}

/** Maximum number of questions that are counted. */
const countLimit = 1000;

/** Counts the questions of a tenant. */
export async function countTasks(
  source: InboxSource,
  query: Pick<InboxQuery, 'tenant' | 'workflow'>,
  person: string,
): Promise<InboxCounts> {
  const { tasks, next } = await listTasks(source, { ...query, limit: countLimit });
  const claimed = tasks.filter(({ status }) => status === 'claimed');
  const mine = claimed.filter(({ claim }) => claim?.assignee === person).length;
  return { open: tasks.length - claimed.length, claimed: claimed.length, mine, capped: next !== undefined };
}

/** Maximum number of runs that are read for one page: some of them may have just been answered, or not match. */
const runsPerPage = 50;

/** Returns a page of the open questions of a tenant; the cost depends on the runs of the page, not on other tenants. */
export async function listTasks(source: InboxSource, query: InboxQuery): Promise<InboxPage> {
  const { limit, after } = query;
  const found: ListedTask[] = [];
  const lines = await asking(source, query);
  for (const line of lines.runs) {
    const behind = line.run === after?.run ? after : undefined;
    for (const task of await withCursors(source, line, behind)) found.push(task);
    if (found.length > limit) {
      return page(source, query, { found: found.slice(0, limit), next: found[limit - 1]?.cursor });
    }
  }
  const next = lines.next === undefined ? undefined : { ...lines.next, activation: last };
  return page(source, query, { found, next });
}

/** Greater than the number of any activation of a run. */
const last: ActivationId = 'a999999999999999';

interface ListedTask {
  readonly task: Task;
  readonly workflow: string;
  readonly cursor: InboxCursor;
}

/** Yields the runs of a page, beginning with the run in which the previous page ended. */
async function asking(
  { runs }: InboxSource,
  { tenant, workflow, run, after, order }: InboxQuery,
): Promise<Pick<RunPage, 'runs' | 'next'>> {
  const wanted = (line: { workflow: string }) => workflow === undefined || line.workflow === workflow;
  if (run !== undefined) {
    const line = await runs.describe(run);
    if (line === undefined) throw new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
    return { runs: [line].filter(wanted) };
  }
  const begun = after === undefined ? undefined : await runs.describe(after.run);
  const { runs: found, next } = await runs.list(
    omitUndefined({ asks: true, limit: runsPerPage, tenant, workflow, order, after }),
  );
  // The cursor of a list with other filters may name any run.
  return omitUndefined({ runs: begun !== undefined && wanted(begun) ? [begun, ...found] : found, next });
}

async function withCursors(
  { runs }: InboxSource,
  { run, startedAt, workflow }: RunCursor & { readonly workflow: string },
  behind: QuestionPlace | undefined,
): Promise<readonly ListedTask[]> {
  const tasks = await runs.tasks(run).catch(noneOfRemoved);
  return tasks
    .map((task) => ({ task, workflow, cursor: { run, startedAt, ...placeOf(task) } }))
    .filter(({ cursor }) => behind === undefined || inOrder(behind, cursor) < 0)
    .sort((one, other) => inOrder(one.cursor, other.cursor));
}

const placeOf = ({ activation, place, question }: Task): QuestionPlace =>
  omitUndefined({ activation, place, question });

/** Compares questions by their activations, the places of the calls that they are about, and their numbers. */
const inOrder = (one: QuestionPlace, other: QuestionPlace): number =>
  numberOf(one.activation) - numberOf(other.activation) ||
  (one.place ?? 0) - (other.place ?? 0) ||
  (one.question ?? 1) - (other.question ?? 1);

/** Returns a run, which may have been removed since the list was read. */
function noneOfRemoved(error: unknown): readonly Task[] {
  if (error instanceof RequestError && error.code === 'RUN_UNKNOWN') return [];
  throw error;
}

async function page(
  { claims }: InboxSource,
  { status, assignee }: InboxQuery,
  { found, next }: { readonly found: readonly ListedTask[]; readonly next: InboxCursor | undefined },
): Promise<InboxPage> {
  const held = await claims.of(found.map(({ task }) => withoutTenant(task.id)));
  const tasks = found.map(({ task, workflow }, at) => shown(task, workflow, held[at]));
  const wanted = tasks.filter(
    (task) =>
      (status === undefined || task.status === status) && (assignee === undefined || task.claim?.assignee === assignee),
  );
  return omitUndefined({ tasks: wanted, next });
}

const shown = (task: Task, workflow: string, claim: Claim | undefined): InboxTask => ({
  ...task,
  workflow,
  ...(claim === undefined ? { status: 'open' } : { status: 'claimed', claim }),
});

const numberOf = (id: ActivationId): number => Number(id.slice(1));

/** One question, open or not. Throws RequestError when it was never asked. */
export async function findTask(source: InboxSource, run: RunId, question: QuestionPlace): Promise<InboxTask> {
  const { activation } = question;
  const description = await source.runs.describe(run);
  if (description === undefined) throw unknown(run, question);
  const { workflow } = description;
  const open = (await source.runs.tasks(run)).find((task) => task.activation === activation && isSame(question, task));
  if (open === undefined) return closed(source, { run, workflow, ...question });
  const [[claim], attachments] = await Promise.all([
    source.claims.of([withoutTenant(open.id)]),
    attachmentsTo(source, { run, activation }),
  ]);
  return { ...shown(open, workflow, claim), ...(attachments.length === 0 ? {} : { attachments }) };
}

/** Returns the files in the input of an activation that waits. */
async function attachmentsTo(
  { runs }: InboxSource,
  { run, activation }: Omit<TaskLocation, 'workflow'>,
): Promise<readonly Attachment[]> {
  const now = await runs.refresh(run);
  if (now?.state.get(`activation/${activation}`) === undefined) return [];
  const messages = await runs.messages(run, inputOf(now.plan, now.state, activation));
  return [...new Map(messages.flatMap(attachmentsOf).map((one) => [one.id, one])).values()];
}

/** Returns whether this is a question of the same activation. */
const isSame = ({ place, question }: QuestionPlace, other: Pick<QuestionPlace, 'place' | 'question'>): boolean =>
  other.place === place && other.question === question;

interface TaskLocation extends QuestionPlace {
  readonly run: RunId;
  readonly workflow: string;
}

/** Returns a closed question from the journal: the state no longer contains it. */
async function closed(source: InboxSource, { run, workflow, ...question }: TaskLocation): Promise<InboxTask> {
  const { activation } = question;
  const found = (await listActivations(source, run, { after: numberOf(activation) - 1, limit: 1 }))?.activations[0];
  const past = found?.id === activation ? await pastQuestion(source, run, question) : undefined;
  if (found === undefined || past === undefined) throw unknown(run, question);
  const { node } = found;
  const { wait, call } = past;
  const task: InboxTask = { id: questionId(run, question), run, ...question, node, wait, workflow, status: 'closed' };
  return call === undefined ? task : aboutCall(task, call);
}

/** Returns what a question asked, from the journal; undefined if there was none. */
async function pastQuestion(
  { runs, store }: InboxSource,
  run: RunId,
  question: QuestionPlace,
): Promise<Pick<Task, 'wait' | 'call'> | undefined> {
  const now = await runs.refresh(run);
  if (now === undefined) return undefined;
  let wait: Wait | undefined;
  let found: Pick<Task, 'wait' | 'call'> | undefined;
  for await (const { event } of activationEntries({ store, run, now }, question.activation)) {
    // Its questions so far are those of the original run.
    if (event.type === 'run.forked') found = undefined;
    if (event.type === 'activation.suspended') {
      wait = event.wait;
      if (asksPerson(wait) && isSame(question, questionOf(event))) found = { wait };
    }
    if (event.type !== 'tool.asked' || wait === undefined || !isSame(question, event)) continue;
    const { type: _type, activation: _one, bodies: _none, ...call } = event;
    found = { wait, call };
  }
  return found;
}

/** Returns whether a wait is a question with the id of its activation: an event is none, and calls have ids of their own. */
const asksPerson = ({ kind }: Wait): boolean => kind !== 'event' && kind !== 'approval';

const unknown = (run: RunId, question: QuestionPlace): RequestError =>
  new RequestError('TASK_UNKNOWN', `There is no question ${questionId(run, question)}.`);
