import type { ActivationId, JournalEntry, RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import type { RunDescription, Runs } from '@millrace/runtime';
import { expect } from 'vitest';
import { startFakeProvider } from '../provider/provider.ts';
import { lastText } from '../provider/turn.ts';
import { audit, journalOf } from './audit.ts';
import { exampleExtensions, inOrder, readExample } from './examples.ts';
import type { Answer, Stage } from './stage.ts';
import { openStage, workflowIn } from './stage.ts';
import { entriesOf } from './watching.ts';

/** A stage in memory whose model is a server that counts its requests: a replay sends it none. */
export interface ReplayStage {
  readonly stage: Stage;
  readonly runs: Runs;
  /** Requests to the model since the last reset. */
  asked(): number;
  /** Sets the count to zero; the model answers the n-th request with the status that `refuse` returns for it. */
  reset(refuse?: (n: number) => number | undefined): void;
  /** An agent that asks this model, as a node in YAML; `more` are fields of the node, `config` of its configuration. */
  agent(id: string, more?: string, config?: string): string;
  /** Runs a workflow to its end. */
  run(yaml: string, input?: string, answer?: Answer): Promise<RunDescription>;
  /** Runs an example of the repository to its end; `answers` replace those that people give in it. */
  runExample(name: string, answers?: readonly string[]): Promise<RunDescription>;
  /** Starts a workflow, which continues by itself. */
  start(yaml: string): Promise<RunId>;
  /** Waits until a run does nothing more by itself, and returns the run. */
  idle(run: RunId): Promise<RunDescription>;
  /** Expects a replay, a replay of that, and one that reuses results to come to the same as the run without a new step. */
  expectSame(first: RunDescription): Promise<void>;
  /** The activations of a run, in the order in which they became ready. */
  readyIn(run: RunId): Promise<readonly ActivationId[]>;
  close(): Promise<void>;
}

/** Opens a stage without runs. */
export async function openReplayStage(): Promise<ReplayStage> {
  let refusal: (n: number) => number | undefined = () => undefined;
  let asked = 0;
  const model = await startFakeProvider({
    reply(turn) {
      asked++;
      const status = refusal(asked);
      if (status !== undefined) return { refuse: status, message: `not now: ${status}` };
      return { text: `answer ${asked} to ${lastText(turn).slice(-40)}`, usage: { input: 10, output: 10 } };
    },
  });
  const stage = await openStage({ where: { local: true }, secret: () => 'key', extensions: await exampleExtensions() });
  stage.runtime.startCaretaker();
  const { runs } = stage.runtime;
  const idle = (run: RunId) => idleRun(runs, run);
  return {
    stage,
    runs,
    asked: () => asked,
    reset(refuse = () => undefined) {
      asked = 0;
      refusal = refuse;
    },
    agent: (id, more = '', config = '') =>
      `{id: ${id}, type: agent, ${more} config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k, retry: {min_wait_seconds: 0, max_wait_seconds: 0}, params: {max_tokens: 20}${config}}}`,
    run: async (yaml, input = 'go', answer) => (await stage.run(yaml, input, answer)).description,
    async runExample(name, given) {
      const { workflow, answers } = readExample(name, stage.vocabulary);
      const script = workflow.script ?? { default: 'A draft.' };
      return (await stage.run({ ...workflow, script }, 'go', inOrder(given ?? answers))).description;
    },
    start: (yaml) => runs.start({ workflow: workflowIn(yaml, stage.vocabulary), input: 'go' }),
    idle,
    async expectSame(first) {
      const before = asked;
      const replay = await idle(await runs.replay(first.run));
      const again = await idle(await runs.replay(replay.run));
      expect(resultOf(replay)).toEqual(resultOf(first));
      expect(resultOf(again)).toEqual(resultOf(first));
      const reuse = await idle(await runs.replay(first.run, { mode: 'reuse' }));
      expect(resultOf(reuse)).toEqual(resultOf(first));
      expect(madeIn(await journalOf(stage.runtime.store, reuse.run))).toEqual([]);
      expect([asked, replay.usage.calls, reuse.usage.calls]).toEqual([before, 0, 0]);
      expect(await audit(stage.runtime.store, replay.run, stage.vocabulary)).toEqual([]);
    },
    readyIn: async (run) =>
      (await journalOf(stage.runtime.store, run)).flatMap(({ event }) =>
        event.type === 'activation.ready' ? [event.activation] : [],
      ),
    async close() {
      await stage.close();
      await model.close();
    },
  };
}

/** The part of a run that a replay repeats. */
export const resultOf = ({ status, output, outputs, error, stop }: RunDescription): object => ({
  status,
  output: output && textOf(output),
  outputs,
  error,
  stop: stop?.text,
});

/** Returns the steps of a replay that took no recorded result, as `ACTIVATION.STEP NAME`. */
export function madeIn(journal: readonly JournalEntry[]): readonly string[] {
  const taken = new Set<string>();
  for (const { event } of journal)
    if (event.type === 'step.completed' && event.recorded !== undefined) taken.add(`${event.activation}.${event.step}`);
  return journal.flatMap(({ event }) => {
    if (event.type !== 'step.started') return [];
    const place = `${event.activation}.${event.step}`;
    return taken.has(place) ? [] : [`${place} ${event.name}`];
  });
}

/** Waits until a run does nothing more by itself, and returns the run. */
export async function idleRun(runs: Runs, run: RunId): Promise<RunDescription> {
  const read = async () => {
    const description = await runs.describe(run);
    if (description === undefined) throw new Error(`run ${run} is gone`);
    return description;
  };
  const isIdle = ({ status }: RunDescription) => !['running', 'stopping'].includes(status);
  for await (const _entry of entriesOf(runs, run)) {
    const description = await read();
    if (isIdle(description)) return description;
  }
  return read();
}
