import type { ActivationId } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { bossOf, choosing } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEntry } from '../../support/runs/watching.ts';

const reader = `
graph:
  id: asking
  nodes:
    - { id: Draft, type: literal, config: { content: a draft } }
    - { id: Reader, type: human, config: { description: Well? } }
  edges:
    - { from: Draft, to: Reader }
`;
const boss = bossOf({ executor: '{ branches: { ask_user: { builtin: ask_user } } }' });
const script = choosing(['ask_user', { question: 'Which colour?' }], ['finish', { summary: 'it is blue' }]);

onBothStores('a question of a run that is resumed with more', (stage) => {
  it('is asked again under another id, and shows it', async () => {
    const run = await stage.runtime.runs.start({ workflow: workflowIn(reader, stage.vocabulary), input: 'go' });
    const first = await asked(stage, run, 1);
    await stage.runtime.runs.stop(run, { note: 'wait', inFlight: 'drain' });
    await stage.runtime.runs.resume(run, [textMessage('user', 'shorter, please', 'TASK')], {});

    expect(await asked(stage, run, 2)).toBe(first);

    const [task] = (await stage.runtime.runs.describe(run))?.tasks ?? [];
    expect(task?.id).toBe(`${run}.${first}-2`);
    expect(task?.wait).toMatchObject({
      prompt: 'Well?',
      input: expect.stringMatching(/a draft[\s\S]*shorter, please/),
    });
    await stage.runtime.runs.answer(run, task, { message: textMessage('user', 'fine', 'person') });
    expect(await end(stage, run)).toMatchObject({ status: 'completed' });
  });

  it('stays in its round where a boss has asked it', async () => {
    const workflow = { ...workflowIn(boss, stage.vocabulary), ...(script === undefined ? {} : { script }) };
    const run = await stage.runtime.runs.start({ workflow, input: 'the goal' });
    const first = await asked(stage, run, 1);
    await stage.runtime.runs.control(run, 'pause');
    await stage.runtime.runs.resume(run, [textMessage('user', 'mind the budget', 'TASK')], {});

    expect(await asked(stage, run, 2)).toBe(first);

    const [task] = (await stage.runtime.runs.describe(run))?.tasks ?? [];
    expect(task?.wait).toMatchObject({ prompt: 'Which colour?', input: expect.stringContaining('mind the budget') });
    await stage.runtime.runs.answer(run, task, { message: textMessage('user', 'blue', 'person') });
    const { output } = (await end(stage, run)) ?? {};
    expect(output && textOf(output)).toBe('it is blue');
    expect(output?.content).toMatchObject([{ data: { rounds: 2 } }]);
  });
});

/** Returns the activation that asks the question with this number, counted from 1. */
async function asked(stage: Stage, run: string, time: number): Promise<ActivationId> {
  let times = 0;
  const { event } = await untilEntry(
    stage.runtime.runs,
    run,
    (entry) => entry.event.type === 'activation.suspended' && ++times === time,
  );
  if (event.type !== 'activation.suspended') throw new Error('no person was asked');
  return event.activation;
}

async function end(stage: Stage, run: string) {
  await untilEntry(
    stage.runtime.runs,
    run,
    ({ event }) => event.type === 'run.finished' && event.status === 'completed',
  );
  return stage.runtime.runs.describe(run);
}
