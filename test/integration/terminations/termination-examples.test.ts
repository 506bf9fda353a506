import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { exampleExtensions, readExample } from '../../support/runs/examples.ts';
import type { EndedRun, Stage } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const extensions = await exampleExtensions();

/** Returns the end of a run: status, reason, satisfied conditions, and the number of executions of each node. */
async function ending({ description: { status, stop }, executions }: EndedRun, nodes: readonly string[]) {
  const spoken = await Promise.all(nodes.map(async (node) => [node, (await executions(node)).length]));
  const leaves = stop?.leaves?.map(({ path, type }) => `${path} ${type}`);
  return { status, code: stop?.code, text: stop?.text, leaves, spoken: Object.fromEntries(spoken) };
}

interface ExampleInput {
  readonly input: string;
  /** In place of the script beside the example. */
  readonly script?: Readonly<Record<string, unknown>>;
}

function runExample(stage: Stage, name: string, { input, script }: ExampleInput): Promise<EndedRun> {
  const { workflow } = readExample(name, stage.vocabulary);
  return stage.run(script === undefined ? workflow : { ...workflow, script }, input);
}

const always = (rules: Readonly<Record<string, string>>) => ({
  rules: Object.entries(rules).map(([system_contains, reply]) => ({ when: { system_contains }, reply })),
});

onBothStores(
  'examples that terminations stop',
  (stage) => {
    describe('the writing team', () => {
      const nodes = ['Writer', 'Critic'];

      it('ends when the critic approves', async () => {
        const finished = await runExample(stage, 'writing-team', { input: 'Bees in the city' });

        expect(await ending(finished, nodes)).toEqual({
          status: 'terminated',
          code: 'text_mention',
          text: "text_mention: 'APPROVE' by Critic",
          leaves: ['$.1 text_mention'],
          spoken: { Writer: 2, Critic: 2 },
        });
      });

      it('ends after ten messages when the critic never approves, whatever the writer claims', async () => {
        const script = always({ 'You write': 'I APPROVE of bees.', 'You criticise': 'No.' });
        const finished = await runExample(stage, 'writing-team', { input: 'Bees', script });

        expect(await ending(finished, nodes)).toEqual({
          status: 'terminated',
          code: 'max_messages',
          text: 'max_messages: 10 of 10',
          leaves: ['$.0 max_messages'],
          spoken: { Writer: 5, Critic: 4 },
        });
      });
    });

    describe('the poem', () => {
      const nodes = ['Poet', 'Critic'];

      it('ends when the critic calls approve', async () => {
        const finished = await runExample(stage, 'poem', { input: 'The moon' });

        expect(await ending(finished, nodes)).toEqual({
          status: 'terminated',
          code: 'function_call',
          text: 'approved: function_call: approve',
          leaves: ['$.0 function_call'],
          spoken: { Poet: 2, Critic: 2 },
        });
      });

      it('ends by its own condition when an agent repeats itself', async () => {
        const script = always({ 'You write': 'The moon is round.', 'You criticise': 'It should rhyme.' });
        const finished = await runExample(stage, 'poem', { input: 'The moon', script });

        expect(await ending(finished, nodes)).toEqual({
          status: 'terminated',
          code: 'function',
          text: 'stuck: again Poet: The moon is round.',
          leaves: ['$.1 function'],
          spoken: { Poet: 2, Critic: 1 },
        });
      });
    });

    describe('the handoff', () => {
      const nodes = ['Front Desk', 'Refunds', 'Feedback'];

      it('hands over to a person, and continues with the agent that the person names', async () => {
        const { runs } = stage.runtime;
        const finished = await runExample(stage, 'handoff', { input: 'I want my money back for a flight.' });
        const { run, seen } = finished.description;

        expect(await ending(finished, nodes)).toEqual({
          status: 'terminated',
          code: 'handoff',
          text: 'handoff: Refunds -> user',
          leaves: ['$.0 handoff'],
          spoken: { 'Front Desk': 1, Refunds: 1, Feedback: 0 },
        });
        await expect(runs.resume(run)).rejects.toMatchObject({ code: 'RESUME_TARGET_REQUIRED' });
        await expect(runs.resume(run, [], { to: 'Nobody' })).rejects.toMatchObject({ code: 'RESUME_TARGET_UNKNOWN' });

        await runs.resume(run, [textMessage('user', 'It is flight 507811.', 'TASK')], { to: 'Refunds' });
        await untilEnded(runs, run, seen);
        const description = await runs.describe(run);

        expect(description).toMatchObject({
          status: 'terminated',
          stop: {
            code: 'stop_message',
            text: 'stop_message: Feedback',
            leaves: [{ path: '$.1', type: 'stop_message' }],
          },
          output: { content: 'Your flight 507811 has been refunded. Are you content?' },
        });
        const calls = nodes.map((node) => [node, description?.usageByNode[node]?.calls]);
        expect(Object.fromEntries(calls)).toEqual({ 'Front Desk': 2, Refunds: 2, Feedback: 1 });
      });
    });
  },
  extensions,
);
