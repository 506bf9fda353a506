import type { Issue } from '@millrace/core';
import { readWorkflow, workflowJsonSchema } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { bossOf } from '../../../../test/support/runs/bosses.ts';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary();

const read = (fields: Readonly<Record<string, string>>) =>
  readWorkflow({ file: 'flow.yaml', text: bossOf(fields) }, { vocabulary, mode: 'run' });
/** Returns the codes of the issues found, with their places below the boss's configuration. */
const found = (fields: Readonly<Record<string, string>>) =>
  read(fields).issues.map(({ code, path }: Issue) => `${code} ${path.replace('graph.nodes[0].config.', '')}`);

const command = (fields: string) => `{ branches: { say: { ${fields} } } }`;

describe('reading a boss', () => {
  it.each([
    [{ memory_files: '{}', inputs: '{ plan: data.plan }' }, 'E_BOSS_MEMORY memory_files'],
    [{ memory_files: '{ plan: a/../../b }' }, 'E_MEMORY_PATH memory_files.plan'],
    [{ memory_files: '{ plan: { path: /etc/passwd } }' }, 'E_MEMORY_PATH memory_files.plan.path'],
    [{ memory_files: '{ plan: p.txt, logs: ./p.txt }' }, 'E_MEMORY_CONFLICT memory_files.logs'],
    [{ memory_files: '{ plan: { path: p.txt, veiw: tail } }' }, 'W_KEY_UNKNOWN memory_files.plan.veiw'],
    [{ memory_reading: '{ stores: [plan, notes] }' }, 'E_BOSS_MEMORY memory_reading.stores[1]'],
    [{ memory_writing: '{ store: notes }' }, 'E_BOSS_MEMORY memory_writing.store'],
    [{ planner: '{ type: agnet, config: {} }' }, 'E_NODE_TYPE_UNKNOWN planner.type'],
    [{ planner: '{ type: agent, config: { name: m } }' }, 'E_FIELD_MISSING planner.config.provider'],
    [{ planner: '{ type: loop_counter, config: {} }' }, 'E_BOSS_PLANNER planner.type'],
    [{ planner: '{ type: passthrough, config: {}, store: notes }' }, 'E_BOSS_MEMORY planner.store'],
    [{ controller: '{ config: { provider: scripted } }' }, 'E_FIELD_MISSING controller.config.name'],
    [
      { controller: '{ repair_attempts: 9, config: { provider: scripted, name: m } }' },
      'E_FIELD_INVALID controller.repair_attempts',
    ],
    [{ controller: '{ decison: json, config: { provider: scripted, name: m } }' }, 'W_KEY_UNKNOWN controller.decison'],
    [{ controller: '{ decision: 3, config: { provider: scripted, name: m } }' }, 'E_BOSS_DECISION controller.decision'],
    [
      { controller: "{ next_prompt: '{{ reslt }}', config: { provider: scripted, name: m } }" },
      'E_TEMPLATE_VAR controller.next_prompt',
    ],
    [
      { controller: "{ next_prompt: '{{ a', config: { provider: scripted, name: m } }" },
      'E_TEMPLATE_INVALID controller.next_prompt',
    ],
    [{ executor: '{ branches: {} }' }, 'E_BOSS_BRANCH executor.branches'],
    [{ executor: command('type: passthrough, config: {}') }, 'E_BOSS_BRANCH executor.branches.say'],
    [{ executor: command('description: x') }, 'E_BOSS_BRANCH executor.branches.say'],
    [
      { executor: command('description: x, type: python, config: { timeout_seconds: 0 }') },
      'E_FIELD_INVALID executor.branches.say.config.timeout_seconds',
    ],
    [
      { executor: command('description: x, type: memory_write, config: { store: nots }') },
      'E_MEMORY_UNKNOWN executor.branches.say.config.store',
    ],
    [{ executor: '{ branches: { finish: { builtin: ask_user } } }' }, 'E_BOSS_BRANCH executor.branches.finish'],
    [{ executor: '{ branches: { re_plan: { builtin: re_plan } } }' }, 'E_BOSS_BRANCH executor.branches.re_plan'],
    [{ executor: '{ branches: { say: { builtin: ask_user, args: [a] } } }' }, 'E_BOSS_ARGS executor.branches.say.args'],
    [
      { executor: '{ branches: { say: { builtin: ask_user, inject: [gaol] } } }' },
      'E_TEMPLATE_VAR executor.branches.say.inject[0]',
    ],
    [{ max_round: '0' }, 'E_BOSS_MAX_ROUND max_round'],
    [{ max_round: '3', max_rounds: '4' }, 'E_BOSS_MAX_ROUND max_rounds'],
    [{ finish: '{ Done: {} }' }, 'E_BOSS_FINISH finish.Done'],
    [{ topology: '[memory_reading, controller, executor]' }, 'E_BOSS_TOPOLOGY topology'],
    [{ topology: '[controller, executor, review]' }, 'E_BOSS_TOPOLOGY topology'],
    [{ detect: '{ type: function, config: { name: nope } }' }, 'E_BOSS_FUNCTION detect.config.name'],
    [{ name: "''" }, 'E_BOSS_NAME name'],
    [{ reset: 'always' }, 'E_FIELD_INVALID reset'],
    [{ finish: "{ done: { result: '{% if %}' } }" }, 'E_TEMPLATE_INVALID finish.done.result'],
    [{ inputs: '{ goal: dta.goal }' }, 'E_TEMPLATE_VAR inputs.goal'],
    [{ termination: '{ any_of: [] }' }, 'E_TERM_EMPTY termination.any_of'],
    [
      { termination: '[{ type: max_turns, config: { max_turns: 2, sources: [contrller] } }]' },
      'E_TERM_SOURCE termination[0].config',
    ],
    [
      { termination: '{ type: timeout, config: { seconds: 9 }, exit_to: [finish] }' },
      'E_TERM_OPTION termination.exit_to',
    ],
    [{ colour: 'red' }, 'W_KEY_UNKNOWN colour'],
  ])('%j: %s', (fields, problem) => {
    expect(found(fields)).toEqual([problem]);
  });

  it('accepts two spellings that agree, and has 30 rounds by default', () => {
    expect(found({ max_round: '4', max_rounds: '4' })).toEqual([]);
    expect(JSON.stringify(read({}).workflow)).toContain('round >= 30');
  });

  it('keeps secrets as references in all of its fields', () => {
    const key = '{ provider: openai, name: m, api_key: "${SECRET}" }';
    const inner = `{ description: In., type: boss, config: { memory_files: { plan: p.txt }, controller: { config: ${key} }, executor: { branches: { ask: { builtin: ask_user } } } } }`;
    const { workflow, issues } = read({
      planner: `{ type: agent, config: ${key} }`,
      controller: `{ config: ${key} }`,
      executor: `{ branches: { in: ${inner} } }`,
    });

    expect(issues).toEqual([]);
    expect(JSON.stringify(workflow).split('${SECRET}')).toHaveLength(4);
  });
});

describe('the JSON Schema of a boss', () => {
  const schema = workflowJsonSchema(vocabulary)['$defs'];

  it('describes its parts down to their fields, in both spellings', () => {
    const controller = { $ref: '#/$defs/bossController' };
    const rounds = { anyOf: [{ minimum: 1 }, { $ref: '#/$defs/placeholder' }] };
    const described = { description: expect.any(String) };
    expect(schema).toMatchObject({
      boss: {
        properties: {
          memory_files: { additionalProperties: { anyOf: [{ type: 'string' }, { properties: { view: described } }] } },
          controller,
          max_round: rounds,
          memory_writing: { anyOf: [{ type: 'null' }, { properties: { value: described } }] },
          termination: { $ref: '#/$defs/termination' },
          subflows_config: {
            anyOf: [
              { type: 'null' },
              {
                properties: {
                  CtrlExMem: {
                    properties: { max_round: rounds, subflows_config: { properties: { Controller: controller } } },
                  },
                },
              },
            ],
          },
        },
      },
      bossController: {
        properties: {
          config: { properties: { provider: described, role: described }, required: ['provider', 'name'] },
          history: { properties: { last_k: described } },
          next_prompt: { default: '{{ result }}' },
        },
        required: ['config'],
      },
      bossCommand: {
        properties: {
          args: { anyOf: [{ type: 'null' }, { additionalProperties: { properties: { required: described } } }] },
        },
        allOf: [{ $ref: '#/$defs/settings' }],
      },
      bossPlanner: { required: ['type', 'config'], allOf: [{ $ref: '#/$defs/settings' }] },
    });
  });

  it('omits the fields that a boss sets elsewhere', () => {
    expect(schema).not.toHaveProperty('bossController.properties.config.properties.commands');
    expect(schema).not.toHaveProperty('bossController.properties.config.properties.detect');
  });
});
