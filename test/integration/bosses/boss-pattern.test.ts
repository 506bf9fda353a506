import { expect, it } from 'vitest';
import type { BossResult } from '../../support/runs/bosses.ts';
import { bossOf, play } from '../../support/runs/bosses.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';

const role = "'Plan: {{memory.plan}} Logs: {{memory.logs}} Commands: {{commands}}'";
const outOfRounds = 'Round limit reached before the goal was achieved.';

/** A boss that plans, searches and asks. */
const boss = (rounds: number) =>
  bossOf({
    planner: '{ type: agent, config: { provider: scripted, name: p, role: Write a step-by-step plan. } }',
    controller: `{ config: { provider: scripted, name: m, role: ${role} } }`,
    executor: `{ branches: {
      search: { description: Search the web., args: { query: { required: true } }, type: agent, config: { provider: scripted, name: s } },
      ask_user: { builtin: ask_user } } }`.replaceAll('\n', ' '),
    finish:
      "{ finish: { description: Goal reached., args: { answer: { required: true } }, result: '{{args.answer}}' } }",
    max_round: `${rounds}`,
    on_max_round: `{ result: ${outOfRounds} }`,
  });

/** The same, written as nodes and edges. */
const pattern = (rounds: number) => `
graph:
  id: boss_pattern
  start: [Read First]
  end: [Done, Out Of Rounds]
  memory:
    - { name: plan, type: memory_file, config: { path: memory/plan.txt } }
    - { name: logs, type: memory_file, config: { path: memory/logs.txt, mode: append, view: tail, max_chars: 8000 } }
  scopes:
    - id: rounds
      nodes: [Read Memory, controller, search, ask_user, Log]
      termination:
        type: max_turns
        config: { max_turns: ${rounds}, sources: [Log] }
        exit_to: [Out Of Rounds]
  nodes:
    - { id: Read First, type: memory_read, config: { stores: all } }
    - { id: Planner, type: agent, config: { provider: scripted, name: p, role: Write a step-by-step plan. } }
    - { id: Save Plan, type: memory_write, config: { store: plan, value: '{{text}}' } }
    - { id: Read Memory, type: memory_read, config: { stores: [plan, logs] } }
    - id: controller
      type: controller
      config:
        provider: scripted
        name: m
        role: ${role}
        first_prompt: '{{task}}'
        next_prompt: '{{text}}'
        commands:
          search: { description: Search the web., args: { query: { type: string, required: true } } }
          ask_user: { description: Ask the user., args: { question: { type: string, required: true } } }
          finish: { description: Goal reached., args: { answer: { type: string, required: true } } }
    - { id: search, type: agent, config: { provider: scripted, name: s } }
    - { id: ask_user, type: human, config: { description: Please answer the question. } }
    - { id: Log, type: memory_write, config: { store: logs, value: '{{source}}: {{text}}' } }
    - { id: Done, type: passthrough, config: {} }
    - { id: Out Of Rounds, type: literal, config: { content: ${outOfRounds}, role: assistant } }
  edges:
    - { from: Read First, to: Planner }
    - { from: Planner, to: Save Plan }
    - { from: Save Plan, to: Read Memory }
    - { from: Read Memory, to: controller }
    - { from: controller, to: search, condition: { type: branch, config: { is: search } }, processor: { type: pick, config: { path: command_args.query, as: text } } }
    - { from: controller, to: ask_user, condition: { type: branch, config: { is: ask_user } }, processor: { type: pick, config: { path: command_args.question, as: text } } }
    - { from: controller, to: Done, condition: { type: branch, config: { is: finish } }, processor: { type: pick, config: { path: command_args.answer, as: text } } }
    - { from: search, to: Log }
    - { from: ask_user, to: Log }
    - { from: Log, to: Read Memory }
`;

const call = (name: string, args: unknown) => ({ tool_calls: [{ name, arguments: args }] });
const script = {
  rules: [
    { when: { model: 'p' }, reply: '1. Search. 2. Ask.' },
    // A prompt that does not show what is known leads nowhere.
    { when: { model: 'm', system_contains: 'Plan:  Logs:' }, reply: 'no plan' },
    {
      when: { model: 'm', system_contains: 'Plan: 1. Search. 2. Ask. Logs:' },
      replies: [
        call('search', { query: 'bees' }),
        call('ask_user', { question: 'Which ones?' }),
        call('search', { query: 'wild bees' }),
        call('finish', { answer: 'They live on roofs.' }),
      ],
    },
    { when: { model: 's' }, reply: 'found: {last_user}' },
  ],
};

const decided = ({ done }: BossResult): readonly string[] =>
  done.flatMap(([name, text]) => (name.endsWith(':controller') ? [text] : []));

onBothStores('a boss and the nodes and edges that replace it', (stage) => {
  it.each([30, 4, 3, 2, 1])(
    'choose the same commands, write the same notes and have the same result in %i rounds',
    async (rounds) => {
      const [one, other] = [
        await play(stage, boss(rounds), { script, answers: ['the wild ones'] }),
        await play(stage, pattern(rounds), { script, answers: ['the wild ones'] }),
      ];

      expect(decided(other)).toEqual(decided(one));
      expect(decided(one)).toHaveLength(Math.min(rounds, 4));
      const logs = await one.written('memory/logs.txt');
      expect(await other.written('memory/logs.txt')).toEqual(logs);
      expect(logs).toHaveLength(Math.min(rounds, 3));
      expect([other.status, other.text]).toEqual([one.status, one.text]);
      expect(one.text).toBe(rounds < 4 ? outOfRounds : 'They live on roofs.');
    },
  );
});
