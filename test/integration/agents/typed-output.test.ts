import { textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { idleRun } from '../../support/runs/replay-stage.ts';
import { modelNames, object, openTypedStage, required, text, typedModels } from '../../support/runs/typed-agents.ts';

const typed = openBeforeAll(() => openTypedStage());

const review = object(
  { verdict: { enum: ['accept', 'revise'] }, score: { type: 'integer', maximum: 10 } },
  required('verdict'),
);

describe('an answer with a schema', () => {
  it.each(modelNames)(
    'comes from %s in the way that is known to be the best, and is the data of the output',
    async (model) => {
      const { description, outputs, refusals } = await typed.run({ model, output: { schema: review } });

      expect([description.status, refusals]).toEqual(['completed', []]);
      expect(outputs).toMatchObject([{ content: [{ type: 'data', data: { verdict: 'accept' } }] }]);
    },
  );

  it('takes the best way that the model is known to have', async () => {
    const before = typed.fake.requests.length;
    await typed.run(...modelNames.map((model) => ({ model, output: { schema: review } })));

    const ways = new Map(
      typed.fake.requests.slice(before).map(({ body, model }) => {
        const written = JSON.stringify(body);
        const native = /"(json_schema|responseJsonSchema)"/.exec(written)?.[1];
        const tool = written.includes('submit_result') ? 'submit_result' : 'instruction';
        return [model, native ?? tool];
      }),
    );
    expect(Object.fromEntries(ways)).toEqual({
      'gpt-5.1': 'json_schema',
      'gpt-6-luna': 'json_schema',
      'claude-sonnet-5-5': 'json_schema',
      'claude-haiku-4-5': 'submit_result',
      'gemini-3.5-flash': 'responseJsonSchema',
      'llama3.3': 'instruction',
    });
  });

  it('has the text of its template, or its JSON in the order of the schema', async () => {
    const schema = object({ b: text, a: text }, required('b', 'a'));
    const { outputs } = await typed.run(
      { model: 'Anthropic', output: { schema } },
      { model: 'Anthropic', output: { schema, text: 'It is {{ a }}, {{ data.b }}.' } },
    );

    expect(outputs.map((message) => message && textOf(message))).toEqual(['{"b":"x","a":"x"}', 'It is x, x.']);
  });
});

describe('a wrong answer', () => {
  const asked = (after: number) => typed.fake.requests.length - after;

  it.each(modelNames)('of %s is asked for again with its problems', async (model) => {
    const before = typed.fake.requests.length;
    typed.fake.say(typedModels[model].name, 'Accepted!', '{"verdict": "acept", "score": 11}', '{"verdict": "accept"}');
    const {
      description: { status },
      outputs,
    } = await typed.run({ model, output: { schema: review } });

    expect([status, asked(before)]).toEqual(['completed', 3]);
    expect(outputs).toMatchObject([{ content: [{ type: 'data', data: { verdict: 'accept' } }] }]);
    const last = JSON.stringify(typed.fake.requests.at(-1)?.body);
    expect(last).toContain('/verdict: expected one of');
    expect(last).toContain('/score: expected a number of at most 10');
  });

  it('fails after the repairs', async () => {
    const before = typed.fake.requests.length;
    typed.fake.say('gpt-5.1', '1', '2', '3');
    const {
      description: { status, error },
    } = await typed.run({ model: 'OpenAI, chat', output: { schema: review } });

    expect([status, error?.code, asked(before)]).toEqual(['failed', 'OUTPUT_INVALID', 3]);
  });

  it('is passed on as text where the author wants that, with a warning', async () => {
    typed.fake.say('gpt-5.1', 'I accept.');
    const {
      description: { status, warnings },
      outputs,
    } = await typed.run({
      model: 'OpenAI, chat',
      output: { schema: review, repair: 0, on_invalid: 'text' },
    });

    expect([status, outputs[0]?.content]).toEqual(['completed', 'I accept.']);
    expect(warnings.latest).toMatchObject([{ code: 'W_OUTPUT_INVALID' }]);
  });

  it.each([
    ['in a fenced block', 'Here it is:\n```json\n{"verdict": "accept"}\n```'],
    ['with words around it', 'Sure! {"verdict": "accept"} Anything else?'],
    ['with single quotes', "{'verdict': 'accept'}"],
  ])('is none %s', async (_where, reply) => {
    const before = typed.fake.requests.length;
    typed.fake.say('gpt-5.1', reply);
    const { outputs } = await typed.run({ model: 'OpenAI, chat', output: { schema: review } });

    expect(asked(before)).toBe(1);
    expect(outputs).toMatchObject([{ content: [{ data: { verdict: 'accept' } }] }]);
  });

  it.each([
    ['cut', { text: '{"verdict": "acc', end: 'length' as const }, { params: { max_tokens: 50 } }, 'MODEL_REPLY_CUT'],
    ['refused', { end: 'refusal' as const }, {}, 'MODEL_REFUSED'],
    [
      'cut, and accepted',
      { text: '{"verdict": "acc', end: 'length' as const },
      { params: { max_tokens: 50 }, on_incomplete: 'accept' },
      'OUTPUT_INVALID',
    ],
  ])('is not repaired if the reply was %s', async (_how, reply, more, code) => {
    const before = typed.fake.requests.length;
    typed.fake.say('gpt-5.1', reply);
    const {
      description: { status, error },
    } = await typed.run({ model: 'OpenAI, chat', output: { schema: review }, more });

    expect([status, error?.code, asked(before)]).toEqual(['failed', code, 1]);
  });
});

it('is replayed without a call, repairs included', async () => {
  typed.fake.say('gpt-5.1', 'Accepted!', '{"verdict": "accept"}');
  const { description } = await typed.run({ model: 'OpenAI, chat', output: { schema: review } });
  const before = typed.fake.requests.length;
  const { runs } = typed.stage.runtime;

  const ended = await idleRun(runs, await runs.replay(description.run));

  expect([ended.status, typed.fake.requests.length]).toEqual(['completed', before]);
  expect(ended.outputs).toEqual(description.outputs);
});
