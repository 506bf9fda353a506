import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId, Vocabulary, Workflow } from '@millrace/core';
import {
  defaultRunLimits,
  parseQuestionId,
  questionId,
  questionOf,
  RequestError,
  readWorkflow,
  textMessage,
  textOf,
} from '@millrace/core';
import type { RunDescription, Runs } from '@millrace/runtime';
import { createInlineQueue, createMemoryStore } from '@millrace/runtime';
import { startInProcess } from './process.ts';
import { entriesOf } from './watching.ts';

/** A workflow whose result must be the same whatever happens to those who work on it. */
export interface Scenario {
  readonly name: string;
  readonly input: string;
  /** Answers of people, in order. */
  readonly answers: readonly string[];
  /** Events from outside. */
  readonly signals?: readonly ScenarioSignal[];
  /** The workflow as a document; model calls take `delayMs`. */
  yaml(delayMs: number): string;
}

/** An event from outside, sent when a node has begun its delay or its wait for an event. */
export interface ScenarioSignal {
  readonly name: string;
  readonly data: string;
  readonly during: 'delay' | 'wait';
}

/** The workflow of a scenario. */
export function workflowOf(scenario: Scenario, vocabulary: Vocabulary, delayMs = 0): Workflow {
  const source = { file: `${scenario.name}.yaml`, text: scenario.yaml(delayMs) };
  const { workflow, issues } = readWorkflow(source, { vocabulary, mode: 'run' });
  if (workflow === undefined) throw new Error(issues.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return workflow;
}

/** Part of a run's result that must not depend on faults during the run. */
export interface Result {
  readonly status: string;
  readonly output: string | undefined;
  /** The last output of every node. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly activations: number;
  readonly error: string | undefined;
}

/** The result of a run. */
export const resultOf = ({ status, output, outputs, activations, error }: RunDescription): Result => ({
  status,
  output: output === undefined ? undefined : textOf(output),
  outputs,
  activations,
  error: error === undefined ? undefined : `${error.code}: ${error.message}`,
});

/** The result of a scenario without faults; its activations include those that store and join parts of a fan-out. */
export async function resultWithoutFaults(
  scenario: Scenario,
  vocabulary: Vocabulary,
  limits = defaultRunLimits,
): Promise<Result> {
  const onError = (error: unknown) => {
    throw error;
  };
  const calm = startInProcess(createMemoryStore(), createInlineQueue({ onError }), vocabulary, limits);
  const run = await calm.runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input });
  const description = await driveRun(calm.runs, run, scenario);
  await calm.stop();
  return resultOf(description);
}

/** Answers the questions of a run and sends its events until it has ended. */
export async function driveRun(runs: Runs, run: string, scenario: Scenario): Promise<RunDescription> {
  let asked = 0;
  for await (const { event } of entriesOf(runs, run)) {
    if (event.type === 'activation.postponed') await sendSignals(runs, run, signalsDuring(scenario, 'delay'));
    if (event.type !== 'activation.suspended') continue;
    // The delay may be over when a process has died just before it began: then its events come now.
    if (event.wait.kind === 'event') await sendSignals(runs, run, scenario.signals ?? []);
    else await answerOnce(runs, questionId(run, questionOf(event)), answerTo(scenario, asked++));
  }
  const description = await runs.describe(run);
  if (description === undefined) throw new Error(`run ${run} is gone`);
  return description;
}

const signalsDuring = ({ signals = [] }: Scenario, during: ScenarioSignal['during']): readonly ScenarioSignal[] =>
  signals.filter((signal) => signal.during === during);

/** Sends events that a process may have sent before it died. */
async function sendSignals(runs: Runs, run: string, signals: readonly ScenarioSignal[]): Promise<void> {
  for (const { name, data } of signals) await runs.signal(run, { name, data, id: data });
}

/** Gives an answer that a process may have given before it died. */
async function answerOnce(runs: Runs, task: string, text: string): Promise<void> {
  const { run, ...question } = parseQuestionId(task);
  try {
    await runs.answer(run, question, { message: textMessage('user', text, 'person') });
  } catch (error) {
    const given = ['TASK_ANSWERED', 'TASK_UNKNOWN', 'RUN_ENDED'];
    if (!(error instanceof RequestError) || !given.includes(error.code)) throw error;
  }
}

/** Returns a person's answer to the question with this index. */
export const answerTo = ({ answers }: Scenario, asked: number): string => answers[asked] ?? answers.at(-1) ?? '';

/**
 * Answers the questions of a run until it has ended; undefined if the run does not exist. It polls the run, because the
 * journal of a run that was set back in time cannot be followed.
 */
export async function driveRunByPolling(runs: Runs, run: RunId, scenario: Scenario): Promise<Result | undefined> {
  for (;;) {
    const description = await runs.describe(run);
    if (description === undefined) return undefined;
    if (description.finishedAt !== undefined) return resultOf(description);
    const nth = description.outputs['Reviewer'] === undefined ? 0 : 1;
    for (const task of description.tasks) {
      // It may have been answered before, and that forgotten or not.
      await runs
        .answer(run, task, { message: textMessage('user', answerTo(scenario, nth), 'person') })
        .catch(() => undefined);
    }
    await sleep(50);
  }
}
