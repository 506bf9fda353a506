import type { Budget, Issue, ModelKnowledge, Vocabulary } from '@millrace/core';
import { isTooDeep, omitUndefined, RequestError, withModelIssues } from '@millrace/core';
import { knowledgeOf } from '../models/model-knowledge.ts';
import { doIfCheap } from '../processes/cheap-work.ts';
import type { TaskOptions } from '../processes/process-pool.ts';
import { PoolBusy, ProcessPool, TaskOverrun } from '../processes/process-pool.ts';
import { file, readNow } from './read-now.ts';
import type { ReadChildData, ReadReply, ReadTask, RunReadTask } from './read-task.ts';
import { RememberedReadings } from './remembered-readings.ts';

/** Reader of workflows by untrusted authors. */
export interface WorkflowReader {
  /**
   * Reads a text for an owner; owners take turns. A text that may be costly is read in another process. Problems are
   * returned, also that the text takes too much time or memory; throws RequestError if too many texts of the owner
   * wait.
   */
  read(task: RunReadTask, owner: string): Promise<ReadReply>;
}

/** A reader with its own processes. */
export interface ClosableReader extends WorkflowReader {
  /** Reader for background work: it waits as long as necessary, and does not count for the owner's requests. */
  readonly background: WorkflowReader;
  close(): Promise<void>;
}

const processorMs = 5000;
const heapMb = 512;
/** Number of texts of one owner that may wait. */
const maxQueuedPerOwner = 16;

/**
 * Returns a reader that does not block the event loop: texts that may be costly are read in other processes with limited
 * time and memory.
 */
export function createWorkflowReader(vocabulary: Vocabulary): ClosableReader {
  const { extensions = noNames, limits } = vocabulary;
  const pool = new ProcessPool<ReadTask, ReadReply>({
    module: new URL('./read-child.js', import.meta.url),
    args: [JSON.stringify(omitUndefined({ extensions, limits }) satisfies ReadChildData)],
    size: 2,
    processorMs,
    heapMb,
  });
  const readings = new RememberedReadings();
  const check = createCheck(vocabulary);
  const read = async ({ budget, ...task }: RunReadTask, turn: Turn): Promise<ReadReply> =>
    // Variables that nest too deeply are refused without being read; they could not be compared either.
    check(
      await (isTooDeep(task.variables)
        ? readRaw(task, turn)
        : readings.of(task, turn.owner, () => readRaw(task, turn))),
      budget,
    );
  const readRaw = async (task: ReadTask, turn: Turn): Promise<ReadReply> => {
    const light = isLight(task) ? doIfCheap(() => readNow(task, vocabulary)) : undefined;
    if (light !== undefined) return light;
    try {
      return await pool.run(task, turn);
    } catch (error) {
      if (error instanceof TaskOverrun) return { isValid: false, issues: [overrun(error)] };
      if (error instanceof PoolBusy) throw new RequestError('NOT_READY', busy);
      throw error;
    }
  };
  return {
    read: (task, owner) => read(task, { owner, maxQueued: maxQueuedPerOwner }),
    background: { read: (task, owner) => read(task, { owner: `${owner} in the background` }) },
    close: () => pool.close(),
  };
}

/** Returns a reader for a process of a single user: it reads everything at once. */
export function createDirectReader(vocabulary: Vocabulary): WorkflowReader {
  const check = createCheck(vocabulary);
  return { read: async ({ budget, ...task }) => check(readNow(task, vocabulary), budget) };
}

/** Owner of a reading, with the number of the owner's readings that may wait before it. */
interface Turn extends TaskOptions {
  readonly owner: string;
}

/**
 * Returns a function that adds warnings about models, which other processes cannot know: the tables of an installation change. A result is
 * checked once with the same tables on the same day.
 */
function createCheck({ models }: Vocabulary): (reply: ReadReply, budget: Budget | undefined) => ReadReply {
  const checks = new WeakMap<ReadReply, { readonly knowledge: ModelKnowledge; readonly checked: ReadReply }>();
  return (reply, budget) => {
    const knowledge = knowledgeOf(models());
    if (budget !== undefined) return withModelIssues(reply, knowledge, { budget });
    const before = checks.get(reply);
    if (before?.knowledge.lookup === knowledge.lookup && before.knowledge.today === knowledge.today)
      return before.checked;
    const checked = withModelIssues(reply, knowledge);
    checks.set(reply, { knowledge, checked });
    return checked;
  };
}

const noNames = { conditions: [], processors: [], detects: [], terminations: [], tools: [] };

const busy = 'As many workflows of yours as may be are waiting to be read at the moment. Send it again in a moment.';

const overrun = ({ message }: TaskOverrun): Issue => ({
  code: 'E_READ_LIMIT',
  severity: 'error',
  path: '',
  message:
    message === 'time'
      ? `The workflow takes more than ${processorMs / 1000} seconds of processor time to read`
      : `The workflow takes more than ${heapMb} MiB of memory to read`,
  hint: 'Use fewer nested aliases and variables, and smaller counts in patterns.',
  file,
  line: 1,
  column: 1,
});

const mostCharacters = 8 * 1024;
const mostPlaceholders = 16;

/*
 * A few characters can cause much work: an alias repeats everything that its anchor marks, and variables may contain each other
 * several times. Patterns and templates are looked at when they are checked, see `doIfCheap`.
 */
const multipliers = /(?:^|[\s,[{:-])[*&][^\s*&]/;

/** Returns whether a text is so short and plain that reading it takes no noticeable time. */
export function isLight({ text, variables }: Pick<ReadTask, 'text' | 'variables'>): boolean {
  // These are refused without being read.
  if (isTooDeep(variables)) return true;
  if (text.length > mostCharacters) return false;
  const all = variables === undefined ? text : `${text}\n${JSON.stringify(variables)}`;
  if (all.length > mostCharacters || multipliers.test(all)) return false;
  return all.split('${', mostPlaceholders + 2).length <= mostPlaceholders + 1;
}
