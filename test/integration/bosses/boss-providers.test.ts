import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Turn } from '../../support/provider/turn.ts';
import { openStage } from '../../support/runs/stage.ts';

/* A boss in default settings chooses commands on every provider: by a forced call, by the form of the answer, or as asked. */

const models = {
  'claude-sonnet-5-5': { provider: 'anthropic', at: 'anthropic' },
  'gpt-6-luna': { provider: 'openai', at: 'openai', params: { protocol: 'responses' } },
  'gemini-3.5-flash': { provider: 'gemini', at: 'gemini' },
  'llama3.3': { provider: 'openai', at: 'compatible' },
} as const;
type Model = keyof typeof models;

const rounds = 10;
const asked = new Map<string, number>();

/** Chooses `say` nine times and then `finish`: as a call where the model has to, else in turns as JSON and as a call. */
function choice(turn: Turn) {
  const round = (asked.get(turn.model) ?? 0) + 1;
  asked.set(turn.model, round);
  const [command, args] = round < rounds ? ['say', { words: `round ${round}` }] : ['finish', { summary: 'Said.' }];
  if (turn.forced === undefined && round % 2 === 0)
    return { text: JSON.stringify({ thought: 'So far so good.', command, command_args: args }) };
  return { calls: [{ name: command, arguments: args }] };
}

const fake = openBeforeAll(() => startFakeProvider({ reply: choice }));
const stage = openBeforeAll(() => openStage({ where: { local: true }, secret: () => 'key' }));

const workflow = (name: Model) => {
  const { at, ...model } = models[name];
  const config = JSON.stringify({ ...model, name, base_url: fake.at(at), api_key: 'k' });
  return `graph:
  id: boss
  start: [B]
  end: [B]
  nodes:
    - id: B
      type: boss
      config:
        max_round: 20
        memory_files: {plan: memory/plan.txt, logs: memory/logs.txt}
        controller: {config: ${config}}
        executor:
          branches:
            say: {description: Says it., args: {words: {required: true}}, type: template, config: {text: "{{ args.words }}"}}
  edges: []
`;
};

/** Ways in which the requests of a model made it choose. */
const waysOf = (model: Model, before: number) => [
  ...new Set(
    fake.requests.slice(before).flatMap(({ model: own, body }) => {
      const written = JSON.stringify(body);
      if (own !== model) return [];
      const isForced = /"tool_choice":"required"|"mode":"ANY"/.test(written);
      return [isForced ? 'forced' : written.includes('json_schema') ? 'form' : 'asked'];
    }),
  ),
];

it.each([
  ['claude-sonnet-5-5', ['form'], 0],
  ['gpt-6-luna', ['forced'], 0],
  ['gemini-3.5-flash', ['forced'], 0],
  // The server refuses a forced choice once, which costs nothing.
  ['llama3.3', ['forced', 'asked'], 1],
] as const)('%s decides in ten rounds', async (model, ways, refused) => {
  const before = { requests: fake.requests.length, refusals: fake.refusals.length };

  const { description } = await stage.run(workflow(model), 'Say things.');

  expect([description.status, description.error]).toEqual(['completed', undefined]);
  expect(description.outputs['B']).toContain('Said.');
  expect(waysOf(model, before.requests)).toEqual(ways);
  expect(fake.refusals.slice(before.refusals)).toHaveLength(refused);
  expect(fake.requests.slice(before.requests)).toHaveLength(rounds + refused);
});
