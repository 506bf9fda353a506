import { describe, expect, it } from 'vitest';
import { readModelList } from './read-model-list.ts';

const origin = { source: 'https://models.example/api.json', today: '2026-11-27' };
const read = (value: unknown) => {
  const result = readModelList(value, origin);
  if ('problem' in result) throw new Error(result.problem);
  return result;
};
const devOf = (models: object) => ({ openai: { id: 'openai', models } });

describe('readModelList', () => {
  it('reads limits, capabilities and prices from the form of models.dev', () => {
    const row = {
      id: 'sol-9',
      temperature: false,
      reasoning_options: [{ type: 'toggle' }, { type: 'effort', values: ['low', null, 'high'] }],
      limit: { context: 1000, input: 800, output: 0 },
      cost: {
        input: 2,
        output: 10,
        reasoning: 12,
        cache_read: 0.2,
        input_audio: 4,
        tiers: [
          { input: 5, output: 20, cache_read: 0.4, tier: { type: 'context', size: 500 } },
          { input: 4, output: 30, tier: { type: 'context', size: 200 } },
          { input: 99, output: 99, tier: { type: 'weather', size: 1 } },
        ],
      },
      experimental: {
        modes: {
          fast: { cost: { input: 4, output: 20 }, provider: { body: { service_tier: 'priority' } } },
          pro: { provider: { body: { reasoning: {} } } },
        },
      },
    };
    expect(read(devOf({ 'sol-9': row })).list).toEqual({
      source: origin.source,
      dated: origin.today,
      models: {
        'sol-9': {
          vendor: 'openai',
          context: 1000,
          input_limit: 800,
          temperature: 'no',
          effort: ['low', 'high'],
          price: {
            input: 2,
            output: 12,
            cached_input: 0.2,
            audio_input: 4,
            long: { above: 200, input: 5, output: 30, cached_input: 0.4 },
            tiers: { priority: 2 },
          },
        },
      },
    });
  });

  it('leaves out what it cannot read, and says so', () => {
    const { list, leftOut } = read(
      devOf({
        good: { cost: { input: 1, output: 2, per_song: 3 }, status: 'deprecated' },
        free: { cost: { input: 0, output: 0 } },
        bad: { cost: { input: 'much', output: 2 } },
        negative: { cost: { input: -1, output: 2 } },
        endless: JSON.parse('{"cost": {"input": 1e999, "output": 2}}'),
        'two words': {},
      }),
    );
    expect(Object.keys(list.models)).toEqual(['good', 'free']);
    expect(list.models['free']).toEqual({ vendor: 'openai' });
    expect(leftOut.join('\n')).toMatch(/good: parts of its cost are not known: per_song/);
    expect(leftOut.join('\n')).toMatch(/good: its vendor has announced its end/);
    expect(leftOut.join('\n')).toMatch(/free: a price of 0 is not taken/);
    for (const name of ['bad', 'negative', 'endless', 'two words'])
      expect(leftOut.join('\n')).toContain(`openai ${name}: `);
    expect(leftOut.join('\n')).toContain('no models of anthropic');
  });

  it('bounds what it says of a hostile list, and takes no key of a prototype', () => {
    const models = JSON.parse('{"__proto__": {"cost": {"input": 1, "output": 1}}, "toString": {}, "sol": {}}');
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`no name ${at}`, {}]));
    const { list, leftOut } = read(devOf({ ...many, ...models, [`${'x'.repeat(5000)}`]: {} }));
    expect(Object.keys(list.models)).toEqual(['toString', 'sol']);
    expect(({} as { cost?: unknown }).cost).toBeUndefined();
    expect(leftOut.length).toBeLessThan(25);
    expect(leftOut.join('').length).toBeLessThan(10_000);
  });

  it('reads a table of Millrace without the parts that decide how requests are made', () => {
    const { list, leftOut } = read({
      dated: '2026-11-20',
      hosts: { '*': { protocol: 'responses' } },
      models: { sol: { context: 5, retires: '2027-01-01', tool_choice: 'auto', price: { input: 1, output: 2 } } },
    });
    expect(list.dated).toBe('2026-11-20');
    expect(list.models['sol']).toEqual({ context: 5, retires: '2027-01-01', price: { input: 1, output: 2 } });
    expect(leftOut).toEqual(['An update does not take hosts, tool_choice; MILLRACE_MODELS does.']);
  });

  it.each([
    ['a list', [], /no list of models/],
    ['null', null, /no list of models/],
    ['a text', 'text', /no list of models/],
    ['an empty object', {}, /no list of models of openai/],
    ['vendors without models', { openai: { models: [] } }, /no list of models of openai/],
    ['a wrong table', { models: { sol: { price: { input: -1, output: 2 } } } }, /models\.sol\.price\.input/],
    [
      'too many models',
      devOf(Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`m${at}`, {}]))),
      /more than 2000 models/,
    ],
  ])('refuses %s', (_what, value, problem) => {
    expect(readModelList(value, origin)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
