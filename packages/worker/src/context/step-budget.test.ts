import { createVocabulary } from '@millrace/catalog';
import type { Wake, Workflow } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import type { Runs, Runtime } from '@millrace/runtime';
import { createSecretMask, openRuntime, realClock } from '@millrace/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { ActivationClock } from './activation-clock.ts';
import type { Step } from './step.ts';
import type { Steps } from './steps.ts';
import { createSteps } from './steps.ts';

const vocabulary = createVocabulary();
const text = `
graph:
  id: g
  start: [A, B]
  end: [A]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: literal, config: {content: b}}
`;

const bound = { tokens: 60, model: 'm' };
const usage = { promptTokens: 10, completionTokens: 0 };

describe('a call for which the budget has no room', () => {
  let runtime: Runtime;
  let wakes: readonly Wake[];
  const wakesNow = async () => (await runtime.store.agenda()).filter((item) => 'activation' in item);
  const attempt = (wake: Wake, runs: Runs = runtime.runs): Steps =>
    createSteps(
      { ...runtime, runs, mask: createSecretMask([]) },
      {
        wake,
        attempt: { run: wake.run, activation: wake.activation, node: 'N', segment: 1 },
        clock: new ActivationClock(realClock),
        signal: new AbortController().signal,
        changes: async () => [],
      },
    );
  const call = (action: Step<string>['action']): Step<string> => ({
    name: 'ask',
    request: 'q',
    worstCase: () => bound,
    action,
  });

  beforeEach(async () => {
    runtime = await openRuntime({ local: true }, vocabulary, () => undefined);
    const { workflow } = readWorkflow({ file: 'g.yaml', text }, { vocabulary, mode: 'run' });
    await runtime.runs.start({ workflow: workflow as Workflow, input: 'task', budget: { tokens: 100 } }); // the text is valid
    wakes = await wakesNow();
  });

  it('is made only by the attempt for which room has been made', async () => {
    const [first, second] = wakes as [Wake, Wake]; // two nodes are due
    let made = 0;
    const answer = async () => {
      made += 1;
      return { value: 'answer', usage, model: 'm' };
    };
    let release = (): void => undefined;
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const other = attempt(second).run(
      call(async () => {
        begun();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return { value: 'other', usage, model: 'm' };
      }),
    );
    await hasBegun;
    let later: Promise<string> | undefined;
    const slow: Runs = {
      ...runtime.runs,
      async submit(run, command) {
        const verdict = await runtime.runs.submit(run, command);
        if (command.type !== 'step.start') return verdict;
        // Before this attempt looks, the other call makes room, and another attempt takes it.
        release();
        await other;
        const wake = (await wakesNow()).find(({ activation }) => activation === first.activation);
        const began = new Promise<void>((resolve) => {
          later = attempt(wake as Wake).run(
            call(async () => {
              resolve();
              return answer();
            }),
          );
        });
        await began;
        return verdict;
      },
    };

    await expect(attempt(first, slow).run(call(answer))).rejects.toMatchObject({ name: 'Interrupted' });

    expect(await later).toBe('answer');
    expect(made).toBe(1);
  });
});
