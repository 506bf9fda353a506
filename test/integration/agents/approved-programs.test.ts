import type { RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { ended } from '../../support/runs/waits.ts';
import { untilEntry } from '../../support/runs/watching.ts';

const stage = openBeforeAll(() => openStage({ where: { local: true } }));

const calls = [
  { id: 'c1', name: 'execute_code', arguments: { code: 'print(6 * 7)' } },
  { id: 'c2', name: 'execute_code', arguments: { code: 'print("second")' } },
];

/** An agent that runs two programs, and then repeats what the last one printed. */
const coding = (policy: string) =>
  workflowIn(
    `
graph:
  id: coding
  nodes:
    - id: Coder
      type: agent
      config:
        provider: scripted
        name: m
        params: ${JSON.stringify({ default: { tool_calls: calls }, rules: [{ when: { last_role: 'tool' }, reply: '{last}' }] })}
        tooling: [{type: function, config: {tools: [{name: execute_code}]}, policy: ${policy}}]
`,
    stage.vocabulary,
  );

const outputOf = async (run: RunId) => {
  const { output } = await ended(stage, run);
  return output === undefined ? '' : textOf(output);
};
const stepsOf = async (run: RunId) =>
  (await journalOf(stage.runtime.store, run)).flatMap(({ event }) =>
    event.type === 'step.started' ? [event.name.split(' ')[0]] : [],
  );

/** Starts a run whose programs people decide on, with this decision about the second one. */
async function decided(second: 'approve' | 'reject') {
  const { runs } = stage.runtime;
  const run = await runs.start({ workflow: coding('[{do: ask}]'), input: 'go' });
  let asked = 0;
  await untilEntry(runs, run, ({ event }) => event.type === 'tool.asked' && ++asked === calls.length);
  const [one, two] = await runs.tasks(run);
  await runs.decide(run, { activation: 'a1', place: one?.call?.place ?? 0 }, { decision: 'approve' });
  await runs.decide(run, { activation: 'a1', place: two?.call?.place ?? 0 }, { decision: second });
  return run;
}

it.each([
  ['approve', 'second\n'],
  ['reject', 'Tool execute_code was not called: a person has rejected it.'],
] as const)(
  'a program that a person decides on (%s) is one step, as it is without a policy',
  async (second, output) => {
    const { runs } = stage.runtime;
    const run = await decided(second);
    expect(await outputOf(run)).toBe(output);
    expect(await stepsOf(run)).toEqual(['chat', 'tool', 'tool', 'chat']);

    const looser = coding('[]');
    const replays = [
      await runs.replay(run),
      await runs.replay(run, { mode: 'strict', plan: { workflow: looser } }),
      await runs.replay(run, { mode: 'reuse', plan: { workflow: looser } }),
      await runs.replay(run, { mode: 'reuse', plan: { workflow: coding('[{do: deny}]') } }),
    ];

    for (const replay of replays) {
      expect(await outputOf(replay)).toBe(output);
      const journal = await journalOf(stage.runtime.store, replay);
      const made = journal.filter(({ event }) => event.type === 'step.completed' && event.recorded === undefined);
      expect(made).toEqual([]);
    }
  },
);
