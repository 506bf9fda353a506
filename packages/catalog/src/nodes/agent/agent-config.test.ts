import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../../index.ts';
import { agent } from './agent.ts';
import { AgentConfig } from './agent-config.ts';

const minimal = { provider: 'openai', name: 'm' };

/** The places and messages of what is wrong with a configuration. */
function problems(more: Record<string, unknown>): string[] {
  const { error } = AgentConfig.safeParse({ ...minimal, ...more });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the configuration of an agent', () => {
  it('requires a provider and a model', () => {
    expect(AgentConfig.safeParse({}).error?.issues.map(({ path }) => path.join('.'))).toEqual(['provider', 'name']);
  });

  it('accepts null for every optional field', () => {
    const optional = [
      'base_url',
      'api_key',
      'role',
      'params',
      'tooling',
      'thinking',
      'memories',
      'skills',
      'retry',
      'fallback',
      'cache',
    ];
    expect(problems(Object.fromEntries(optional.map((key) => [key, null])))).toEqual([]);
  });

  it('reads the input mode in any case', () => {
    expect(AgentConfig.parse({ ...minimal, input_mode: 'Prompt' }).input_mode).toBe('prompt');
  });

  it.each([
    [
      { fallback: { provider: 'openai', name: 'm' } },
      'fallback: Write a list of models, each with `provider` and `name`.',
    ],
    [
      { fallback: [{ ...minimal, when: ['down'] }] },
      'fallback.0.when.0: Write one of unavailable, quota, missing, refusal, context.',
    ],
    [{ cache: { ttl: '2h' } }, 'cache: Write `auto`, `off`, or a mapping such as `ttl: 1h`.'],
    [{ tooling: { type: 'function', config: {} } }, 'tooling: Write `tooling` as a list: put a dash before `type`.'],
    [
      { tooling: [{ type: 'zap', config: {} }] },
      'tooling.0.type: Write `type: function`, `type: mcp_remote` or `type: mcp_local` and a `config`.',
    ],
    [{ tooling: [{ type: 'function', config: null }] }, 'tooling.0.config: Write a mapping under `config`.'],
    [
      { tooling: [{ type: 'function', config: { tools: [{ name: 'add' }, { name: 'add' }] } }] },
      'tooling.0.config.tools.1.name: Remove this entry: "add" is already listed above.',
    ],
    [
      { tooling: [{ type: 'function', config: { tools: [{ name: 'm:All', description: 'x' }] } }] },
      'tooling.0.config.tools.0: Remove `description` and `parameters`: `:All` stands for several functions.',
    ],
    [
      { retry: { max_attempts: 0 } },
      'retry.max_attempts: Write a whole number of at least 1, such as `max_attempts: 5`.',
    ],
    [
      { retry: { min_wait_seconds: 5, max_wait_seconds: 1 } },
      'retry.max_wait_seconds: Write a max_wait_seconds that is not below min_wait_seconds (the defaults are 6 and 1).',
    ],
    [
      { memories: [{ name: 'M', retrieve_stage: ['later'] }] },
      'memories.0.retrieve_stage: Write `pre_gen_thinking`, `gen`, `post_gen_thinking` or `finished`, or a list of them.',
    ],
    [{ thinking: { type: 'deep', config: { reflection_prompt: 'x' } } }, 'thinking.type: Write `type: reflection`.'],
    [{ input_mode: 'chat' }, 'input_mode: Write `messages` or `prompt`.'],
  ])('refuses %j', (more, problem) => {
    expect(problems(more)).toEqual([problem]);
  });

  it('reports mistakes in the script of a scripted agent', () => {
    const config = AgentConfig.parse({
      ...minimal,
      provider: 'scripted',
      params: { rules: [{ when: { modle: 'x' }, reply: 'y' }] },
    });
    expect(agent(new Map()).check?.(config)).toMatchObject([
      { code: 'E_FIELD_INVALID', path: ['params', 'rules', 0, 'when'] },
    ]);
  });
});

describe('the model that summarises for an agent', () => {
  const places = (summarizer: object, more: object = {}) => {
    const config = AgentConfig.parse({ ...minimal, ...more, context: { summarizer } });
    return agent(new Map())
      .check?.(config)
      .map(({ path }) => path.join('.'));
  };

  it('is checked like the model of the agent, at its place', () => {
    const scripted = { provider: 'scripted', name: 'm', params: { rules: 1 } };
    expect(places(scripted)).toEqual(['context.summarizer.params.rules']);
    expect(places({ name: 'm', base_url: 'nowhere' })).toEqual(['context.summarizer.base_url']);
  });

  it('is not reported for what it takes from the agent', () => {
    expect(places({ name: 'm' }, { base_url: 'nowhere' })).toEqual(['base_url']);
  });
});

describe('the output of an agent', () => {
  const vocabulary = createVocabulary();
  const issuesOf = (output: string, files: Readonly<Record<string, string>> = {}) => {
    const text = `
graph:
  id: typed
  nodes:
    - id: A
      type: agent
      config:
        provider: openai
        name: gpt-6-luna
        output: ${output}
`;
    const { issues } = readWorkflow(
      { file: 'flow.yaml', text },
      {
        vocabulary,
        mode: 'run',
        readFile: (file) => (files[file] === undefined ? undefined : { file, text: files[file] }),
      },
    );
    return issues.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
  };
  const schema = '{type: object, properties: {a: {type: string}}}';

  it.each([`{schema: ${schema}}`, `{schema: ${schema}, text: "{{ a }}", mode: tool, repair: 0, on_invalid: text}`])(
    'is read: %s',
    (output) => {
      expect(issuesOf(output)).toEqual([]);
    },
  );

  it.each([
    ['{}', 'E_FIELD_MISSING flow.yaml:10:17'],
    ['{schema: {type: string}}', 'E_SCHEMA_UNSUPPORTED flow.yaml:10:26'],
    ['{schema: {type: object, propertys: {}}}', 'E_SCHEMA_UNSUPPORTED flow.yaml:10:52'],
    [`{schema: ${schema}, repair: 11}`, 'E_FIELD_INVALID flow.yaml:10:83'],
    [`{schema: ${schema}, text: "{{ a"}`, 'E_TEMPLATE_INVALID flow.yaml:10:81'],
    ['{schema: none.yaml}', 'E_INCLUDED_FILE flow.yaml:10:26'],
  ])('is refused with its place: %s', (output, issue) => {
    expect(issuesOf(output)).toContain(issue);
  });

  it('may have its schema in a file, in which problems have their place', () => {
    const good = { 'review.yaml': 'type: object\nproperties:\n  a: {type: string}\n' };
    const bad = { 'review.yaml': 'type: object\nproperties:\n  a: {type: strin}\n' };

    expect(issuesOf('{schema: review.yaml}', good)).toEqual([]);
    expect(issuesOf('{schema: review.yaml}', bad)).toEqual(['E_SCHEMA_UNSUPPORTED review.yaml:3:13']);
  });
});
