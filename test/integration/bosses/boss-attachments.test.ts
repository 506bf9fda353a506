import { messageWithAttachments, textOf } from '@millrace/core';
import { attach } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { bossOf } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const word = 'swordfish';
const call = (name: string, args: Readonly<Record<string, string>>) => ({
  text: '',
  tool_calls: [{ id: name, name, arguments: args }],
});
/** The controller says three words and replans in between; a node that does not see the word reports it. */
const script = {
  rules: [
    {
      when: { has_tools: true, last_user_contains: word },
      replies: [
        call('say', { words: 'one' }),
        call('re_plan', { goal: 'Think again.' }),
        call('say', { words: 'two' }),
        call('finish', { summary: 'seen in each round' }),
      ],
    },
    { when: { has_tools: true }, reply: call('finish', { summary: 'the controller saw nothing' }) },
    { when: { last_user_contains: word }, replies: ['FIRST PLAN', 'SECOND PLAN'] },
  ],
  default: 'the planner saw nothing',
};

const say = 'say: { description: Say., args: { words: { required: true } }, type: passthrough, config: {} }';
const planner = { planner: '{ type: agent, config: { provider: scripted, name: p } }' };
const replanning = { ...planner, executor: `{ branches: { ${say}, re_plan: { builtin: re_plan } } }` };

async function run({ runtime, vocabulary }: Stage, text: string) {
  const { runs } = runtime;
  const attachment = await attach(runs.blobs, { name: 'note.txt', bytes: Buffer.from(`The word is ${word}.`) });
  const workflow = { ...workflowIn(text, vocabulary), script };
  const id = await runs.start({ workflow, input: [messageWithAttachments('Find it.', [attachment], 'TASK')] });
  const journal = [];
  for await (const entry of entriesOf(runs, id)) journal.push(entry);
  const description = await runs.describe(id);
  const plans = (await runs.memories.memory(`run:${id}:memory:path:memory_file:memory/plan.txt`, '0', 10)).items;
  return {
    output: description?.output && textOf(description.output),
    plans: plans.map(({ text: plan }) => plan),
    journal: JSON.stringify(journal),
  };
}

onBothStores("a text file that is attached to a boss's task", (stage) => {
  it('is shown to its planner each time, and to its controller in each round', async () => {
    const { output, plans, journal } = await run(stage, bossOf(replanning));

    expect(output).toBe('seen in each round');
    // The second plan replaces the first one, so only a node that has seen the word twice gives this answer.
    expect(plans).toEqual(['SECOND PLAN']);
    expect(journal).not.toContain(word);
  });
});
