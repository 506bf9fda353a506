import type {
  ActivationId,
  ApprovalRecord,
  AskedCall,
  Command,
  GraphPlan,
  Plan,
  PlanEdge,
  PlanNode,
} from '@millrace/core';
import {
  activationsOf,
  approvalsOf,
  isWaiting,
  locateActivation,
  omitUndefined,
  openApprovals,
  questionId,
  questionOf,
  RequestError,
  runOf,
  suspensionOf,
} from '@millrace/core';
import type { CachedRun } from '../commit/cached-run.ts';
import type { ActivationQuestion, AnswerExit, CallDecision, CallQuestion, Task, TextTest } from '../contract/runs.ts';
import type { HashedCall } from './call-hash.ts';
import { callHash, canonicalArguments } from './call-hash.ts';

/** The open questions of a run. */
export function openTasks({ state, run }: CachedRun, plan: Plan): readonly Task[] {
  return openIds({ state }).flatMap((activation): readonly Task[] => {
    const record = state.get(`activation/${activation}`);
    if (record?.wait === undefined) return [];
    const { node, graph } = locateActivation(plan, state, record);
    const title = state.get('origin')?.title;
    const dueAt = state.get('alarm/timeout')?.dueAt;
    // Each call has a number of its own.
    const question = record.wait.kind === 'approval' ? { activation } : openQuestion({ state }, activation);
    const task: Task = {
      id: questionId(run, question),
      run,
      ...question,
      node: node?.id ?? '',
      wait: record.wait,
      ...omitUndefined({ title, dueAt }),
    };
    if (record.wait.kind === 'approval')
      return openApprovals(state, activation).map((call) => approvalTask(task, call));
    return [
      {
        ...task,
        // The answer to the question of an agent's tool goes to the agent.
        ...(node?.waits === true && record.wait.kind === 'human' ? { goesTo: answerExits(graph, node) } : {}),
      },
    ];
  });
}

/** Returns the question about one call. It is withdrawn with its run, or counts as rejected at the end of its own time. */
export function approvalTask(task: Task, { decided: _none, used: _not, ...call }: ApprovalRecord): Task {
  const dueAt = Math.min(task.dueAt ?? Number.POSITIVE_INFINITY, call.until ?? Number.POSITIVE_INFINITY);
  return { ...aboutCall(task, call), ...(Number.isFinite(dueAt) ? { dueAt } : {}) };
}

/** Returns the question about one of the calls that an activation asks about. */
export function aboutCall<T extends Task>(task: T, call: AskedCall): T {
  const { run, activation, node } = task;
  const wait = { ...task.wait, prompt: `May "${node}" call "${call.tool}"?` };
  const place = { place: call.place, ...omitUndefined({ question: call.question }) };
  return { ...task, ...place, id: questionId(run, { activation, ...place }), wait, call };
}

/** Returns the command that decides on a call. Throws RequestError when nobody is asked about it. */
export function decisionCommand(
  { state, run }: CachedRun,
  { activation, place, question }: CallQuestion,
  { decision, arguments: edited, reason, hash, by }: CallDecision,
): Command {
  const call = approvalsOf(state, activation).find((one) => one.place === place && one.question === question);
  if (call === undefined)
    throw new RequestError(
      'TASK_UNKNOWN',
      `There is no open question ${questionId(run, { activation, place, ...omitUndefined({ question }) })}.`,
    );
  return {
    type: 'tool.decide',
    activation,
    place,
    asked: hash ?? call.hash,
    decision,
    ...omitUndefined({ question, edited: edited && editedCall({ ...call, run, activation }, edited), reason, by }),
  };
}

function editedCall(call: HashedCall, edited: Readonly<Record<string, unknown>>) {
  const sent = canonicalArguments(edited);
  return { arguments: sent, hash: callHash({ ...call, arguments: sent }) };
}

/** Returns the only question of a run that waits for an answer; throws when there is none, or more than one. */
export function onlyTask({ state, run }: CachedRun): ActivationQuestion {
  const open = openIds({ state });
  const [only, ...others] = open;
  if (only === undefined) throw new RequestError('TASK_UNKNOWN', `Run ${run} does not wait for an answer.`);
  if (others.length > 0) {
    const names = open.map((id) => questionId(run, openQuestion({ state }, id))).join(', ');
    throw new RequestError('TASK_AMBIGUOUS', `Run ${run} waits for ${open.length} answers; name one of ${names}.`);
  }
  return openQuestion({ state }, only);
}

/** Returns the question that an activation asks now. */
const openQuestion = ({ state }: Pick<CachedRun, 'state'>, activation: ActivationId): ActivationQuestion =>
  questionOf({ activation, ...suspensionOf(state, activation) });

/**
 * Returns whether questions can be answered: a run that stops or fails has withdrawn them; a paused run accepts
 * answers.
 */
function openIds({ state }: Pick<CachedRun, 'state'>): readonly ActivationId[] {
  const { status } = runOf(state);
  if (status !== 'running' && status !== 'paused') return [];
  return [...activationsOf(state)].flatMap(([id, record]) =>
    isWaiting(record) && record.wait?.kind !== 'event' ? [id] : [],
  );
}

/** Returns the nodes that the answer to a human node leads to, in the order of the edges. */
const answerExits = ({ nodes, edges }: GraphPlan, { index }: PlanNode): readonly AnswerExit[] =>
  edges
    .filter(({ from, trigger, onError }) => from === index && trigger && !onError)
    .map((edge) => ({
      to: nodes[edge.to]?.id ?? '',
      ...(edge.conditionText === undefined ? {} : { condition: edge.conditionText }),
      ...testOf(edge),
    }));

/** Configuration of a `keyword` or `regex` condition, as the catalogue has parsed it. */
interface TextTestConfig {
  readonly any?: readonly string[];
  readonly all?: readonly string[];
  readonly none?: readonly string[];
  readonly regex?: readonly string[];
  readonly case_sensitive?: boolean;
  readonly pattern?: string;
  readonly flags?: readonly string[];
}

function testOf({ condition }: PlanEdge): { readonly test?: TextTest } {
  if (condition === null) return {};
  const config = condition.config as TextTestConfig; // only the two types below are looked at
  if (condition.type === 'keyword') {
    const { any = [], all = [], none = [], regex = [], case_sensitive: caseSensitive = true } = config;
    return { test: { any, all, none, patterns: regex, flags: caseSensitive ? [] : ['IGNORECASE'] } };
  }
  if (condition.type !== 'regex' || config.pattern === undefined) return {};
  return { test: { any: [], all: [], none: [], patterns: [config.pattern], flags: [...(config.flags ?? [])] } };
}
