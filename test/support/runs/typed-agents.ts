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
  object({ on: { ...text, format: 'date', enum: ['2026-11-27'] } }, required('on')),
  object({ at: { enum: [1, 2.5, 'three', null, true] } }, required('at')),
  object({ up: { ...number, exclusiveMinimum: -1, exclusiveMaximum: 1 } }, required('up')),
  object({ even: { type: 'integer', multipleOf: 2 } }, required('even')),
  object({ short: { ...text, maxLength: 3, description: 'At most three.' } }, required('short')),
  object({ many: { type: 'array', items: { type: 'boolean' }, maxItems: 2 } }, required('many')),
  object(
    { nested: { type: 'array', minItems: 1, items: { type: 'array', minItems: 1, items: number } } },
    required('nested'),
  ),
  object({ either: { type: ['integer', 'string'] } }, required('either')),
  object({ flag: { const: true }, why: text }, required('flag')),
  object({ nothing: { type: 'null' } }, required('nothing')),
  object({ empty: object({}) }, required('empty')),
  object({ strict: object({ a: text }, { ...required('a'), additionalProperties: false }) }, required('strict')),
  object({ choice: { anyOf: [{ const: 'none' }, object({ n: number }, required('n'))] } }, required('choice')),
  object({ all: text, none: text, some: text }, required('all', 'none', 'some')),
  object({ late1: text, late2: number, late3: { type: 'boolean' } }),
  object({ 'with space': text, ümlaut: number }, required('with space', 'ümlaut')),
  object(
    { deep: object({ deeper: object({ deepest: text }, required('deepest')) }, required('deeper')) },
    required('deep'),
  ),
  object(
    {
      pairs: {
        type: 'array',
        minItems: 1,
        items: object({ key: text, value: { type: ['string', 'null'] } }, required('key', 'value')),
      },
    },
    required('pairs'),
  ),
  object({ words: { type: 'array', minItems: 1, items: { enum: ['a', 'b'] } } }, required('words')),
  object({ code2: { ...text, pattern: '^x$' } }, required('code2')),
  object({ zero: { ...number, maximum: 0 } }, required('zero')),
  object({ title2: { ...text, title: 'A title', default: 'x', examples: ['x'] } }, required('title2')),
  object(
    {
      many2: object(
        { list: { type: 'array', items: object({ x: number, y: number }, required('x', 'y')) } },
        required('list'),
      ),
    },
    required('many2'),
  ),
  object({ opt: object({ a: text, b: text }) }),
  object({ big: { anyOf: [{ type: 'null' }, text, number] } }, required('big')),
  object({ rated: { type: 'integer', minimum: 1, maximum: 5 }, because: text }, required('because', 'rated')),
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
