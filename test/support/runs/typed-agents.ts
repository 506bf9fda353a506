import type { JsonSchema, Message } from '@millrace/core';
import type { RunDescription } from '@millrace/runtime';
import { startFakeProvider } from '../provider/provider.ts';
import { leastValue } from '../provider/reply.ts';
import type { Turn } from '../provider/turn.ts';
import { objectOf } from '../provider/turn.ts';
import { openStage } from './stage.ts';

/** Models of all providers, whose vendors have their answers in forms of their own. */
export const typedModels = {
  'OpenAI, chat': { provider: 'openai', at: 'openai', name: 'gpt-5.1' },
  'OpenAI, responses': { provider: 'openai', at: 'openai', name: 'gpt-6-luna', params: { protocol: 'responses' } },
  Anthropic: { provider: 'anthropic', at: 'anthropic', name: 'claude-sonnet-5-5' },
  'Anthropic, without a form of answers': { provider: 'anthropic', at: 'anthropic', name: 'claude-haiku-4-5' },
  Gemini: { provider: 'gemini', at: 'gemini', name: 'gemini-3.5-flash' },
  'a local model': { provider: 'openai', at: 'compatible', name: 'llama3.3' },
} as const;
/** Name of one of these models. */
export type ModelName = keyof typeof typedModels;
export const modelNames = Object.keys(typedModels) as ModelName[];

/** A schema of an object. */
export const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
export const text = { type: 'string' };
const number = { type: 'number' };
export const required = (...names: string[]) => ({ required: names });
/** Definitions of texts, numbers, choices, lists, objects, alternatives and references, with all keywords. */
export const typedSchemas: readonly JsonSchema[] = [
  object({ urgent: { type: 'boolean' } }, required('urgent')),
  object({ title: text, late: text }, required('title')),
  object({ verdict: { enum: ['accept', 'revise'] } }, required('verdict')),
  object({ kind: { const: 'order' }, amount: { ...number, minimum: 1, multipleOf: 1 } }, required('kind', 'amount')),
  object({ score: { type: 'integer', minimum: 3, maximum: 10 } }, required('score')),
  object({ code: { ...text, minLength: 2, pattern: '^x+$' } }, required('code')),
  object({ tags: { type: 'array', items: text, minItems: 1, uniqueItems: true } }, required('tags')),
  object({ note: { type: ['null', 'string'] } }, required('note')),
  object({ owner: object({ id: number, name: text }, required('id')) }, required('owner')),
  object({ list: { type: 'array', minItems: 2, items: object({ a: text }, required('a')) } }, required('list')),
  object(
    { pick: { anyOf: [object({ a: text }, required('a')), object({ b: text }, required('b'))] } },
    required('pick'),
  ),
  {
    ...object({ first: { $ref: '#/$defs/item' } }, required('first')),
    $defs: { item: object({ a: text }, required('a')) },
  },
  object({}, { additionalProperties: number }),
  { anyOf: [object({ a: text }, required('a')), object({ b: text }, required('b'))] },
];

/** Returns the schema that a request asks an answer for, wherever it says so. */
function askedSchema({ schema, tools, messages }: Turn): unknown {
  const submit = tools.find(({ name }) => name === 'submit_result');
  const instructed = messages.map((message) => /JSON Schema:\n(\{.*\})$/m.exec(message.text)?.[1]).find(Boolean);
  return schema ?? submit?.schema ?? (instructed === undefined ? undefined : JSON.parse(instructed));
}

const namesOf = (schema: unknown): string => JSON.stringify(Object.keys(objectOf(objectOf(schema)['properties'])));

/** Answers with the least data, in the way that the request asks for. Limits that are only words in it are kept, too. */
function leastAnswer(turn: Turn) {
  const asked = askedSchema(turn);
  const written = typedSchemas.find((schema) => namesOf(schema) === namesOf(asked) && namesOf(asked) !== '[]');
  const data = namesOf(asked) === '["first"]' ? { first: { a: 'x' } } : leastValue(written ?? asked);
  const submits = turn.tools.some(({ name }) => name === 'submit_result');
  return submits ? { calls: [{ name: 'submit_result', arguments: data }] } : { text: JSON.stringify(data) };
}

/** An agent whose answers have a form. */
interface Agent {
  readonly model: ModelName;
  readonly output: object;
  /** Further fields of its configuration. */
  readonly more?: object;
}

/** A stage with a fake provider that answers with the least data that a schema accepts. */
export async function openTypedStage() {
  const fake = await startFakeProvider({ reply: (turn) => leastAnswer(turn) });
  const stage = await openStage({ where: { local: true }, secret: () => 'key' });

  const agentConfig = ({ model, output, more }: Agent) => {
    const { at, ...named } = typedModels[model];
    return JSON.stringify({ ...named, base_url: fake.at(at), api_key: 'k', output, ...more });
  };

  function workflow(agents: readonly Agent[]): string {
    const ids = agents.map((_agent, at) => `A${at}`).join(', ');
    const nodes = agents.map((agent, at) => `    - {id: A${at}, type: agent, config: ${agentConfig(agent)}}`);
    return `graph:\n  id: typed\n  start: [${ids}]\n  end: [${ids}]\n  nodes:\n${nodes.join('\n')}\n  edges: []\n`;
  }

  /** Runs agents, and returns the run, the output of each, and the requests that the provider refused. */
  async function run(...agents: readonly Agent[]) {
    const before = fake.refusals.length;
    const ended = await stage.run(workflow(agents), 'go');
    const outputs = await Promise.all(agents.map(async (_agent, at) => (await ended.executions(`A${at}`))[0]?.[0]));
    const refusals = fake.refusals.slice(before);
    return { description: ended.description, outputs, refusals } satisfies {
      readonly description: RunDescription;
      readonly outputs: readonly (Message | undefined)[];
      readonly refusals: unknown;
    };
  }

  return {
    fake,
    stage,
    run,
    async close() {
      await stage.close();
      await fake.close();
    },
  };
}
