import { textMessage } from '@millrace/core';
import { expect, it } from 'vitest';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

/** Agents that hand over to each other as their scripts say, until they hand over to a person. */
const agent = (id: string, handoffs: string) => `    - id: ${id}
      type: agent
      config:
        provider: openai
        name: m
        role: You are ${id}.
        handoffs: [${handoffs}]
`;

type Agents = Readonly<Record<string, { readonly to: string; readonly says: readonly string[] }>>;

/** Builds a workflow of agents with scripted turns: `words -> Name` hands over, any other text is said. */
function team(stage: Stage, agents: Agents, edges = '[]') {
  const nodes = Object.entries(agents).map(([id, { to }]) => agent(id, to));
  const [start] = Object.keys(agents);
  const text = `graph:
  id: team
  start: ${start}
  end: [${Object.keys(agents).join(', ')}]
  termination: { type: handoff, config: { target: user } }
  nodes:
${nodes.join('')}  edges: ${edges}
`;
  const rules = Object.entries(agents).map(([id, { says }]) => ({
    when: { system_contains: `You are ${id}.` },
    replies: says.map((said) => {
      const [, text, name] = /^(.*?) ?-> (.*)/.exec(said) ?? [];
      return name === undefined ? said : { text, tool_calls: [{ name: `transfer_to_${name}` }] };
    }),
  }));
  return { ...workflowIn(text, stage.vocabulary), script: { rules } };
}

async function resumed(stage: Stage, run: string, to: string) {
  const { runs } = stage.runtime;
  const seen = (await runs.describe(run))?.seen ?? '0';
  await runs.resume(run, [textMessage('user', 'Go on.', 'TASK')], { to });
  await untilEnded(runs, run, seen);
  const described = await runs.describe(run);
  const calls = Object.entries(described?.usageByNode ?? {}).map(([node, usage]) => [node, usage.calls]);
  return { status: described?.status, outputs: described?.outputs, calls: Object.fromEntries(calls) };
}

onBothStores('resuming after a handoff to a person', (stage) => {
  it('runs the agent that handed over again, as often as it does', async () => {
    const workflow = team(stage, { A: { to: 'user', says: ['-> user', '-> user', 'Done: {last_user}'] } });
    const { description } = await stage.run(workflow, 'x');

    expect(description.stop?.text).toBe('handoff: A -> user');
    expect(await resumed(stage, description.run, 'A')).toMatchObject({ status: 'terminated', calls: { A: 2 } });
    expect(await resumed(stage, description.run, 'A')).toMatchObject({
      status: 'completed',
      outputs: { A: 'Done: Go on.' },
    });
  });

  it('runs an agent that was skipped before, and its successors', async () => {
    const workflow = team(
      stage,
      {
        A: { to: 'B, C', says: ['-> B'] },
        B: { to: 'user', says: ['-> user'] },
        C: { to: 'user', says: ['Done by C.'] },
        D: { to: 'user', says: ['Seen by D.'] },
      },
      '[{ from: B, to: D, condition: { type: keyword, config: { any: [Done] } } }, { from: C, to: D }]',
    );
    const { description } = await stage.run(workflow, 'x');

    expect(await resumed(stage, description.run, 'C')).toEqual({
      status: 'completed',
      outputs: { A: 'Transferred to B.', B: 'Transferred to user.', C: 'Done by C.', D: 'Seen by D.' },
      calls: { A: 1, B: 1, C: 1, D: 1 },
    });
  });

  it('continues among agents that are all connected', async () => {
    const workflow = team(stage, {
      A: { to: 'B, C', says: ['-> user', '-> C', 'Done.'] },
      B: { to: 'A, C', says: ['-> A'] },
      C: { to: 'A, B, user', says: ['-> user', '{last_user} -> B'] },
    });
    const { description } = await stage.run(workflow, 'x');

    // A cannot hand over to the person, so its first call has no effect and it is asked once more.
    expect(description.stop?.text).toBe('handoff: C -> user');
    expect(await resumed(stage, description.run, 'C')).toEqual({
      status: 'completed',
      outputs: { A: 'Done.', B: 'Transferred to A.', C: 'Go on.' },
      calls: { A: 3, B: 1, C: 2 },
    });
  });

  it('enters a loop again that was left, at any member', async () => {
    const workflow = team(stage, {
      A: { to: 'B, Out', says: ['-> B', 'Done.'] },
      B: { to: 'A, Out', says: ['-> Out', '-> A'] },
      Out: { to: 'user', says: ['-> user'] },
    });
    const { description } = await stage.run(workflow, 'x');

    expect(description.stop?.text).toBe('handoff: Out -> user');
    expect(await resumed(stage, description.run, 'B')).toMatchObject({
      status: 'completed',
      outputs: { A: 'Done.', B: 'Transferred to A.' },
      calls: { A: 2, B: 2, Out: 1 },
    });
  });
});
