import { textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import type { EndedRun, Stage } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';

const ward = `version: 0.4.0
graph:
  id: ward
  start: [Reception]
  end: [Board]
  nodes:
    - id: Reception
      type: literal
      config:
        content: 'Here: [{"name": "Ann", "age": 30}, {"name": "Bob", "age": 61}]'
    - id: Nurse
      type: agent
      config:
        provider: scripted
        name: m
        role: 'Nurse for {{patient}}, not {{visitor}}'
        params: {rules: [{when: {system_contains: '{"name":"Ann","age":30}, not {{visitor}}'}, reply: 'fever'}], default: 'cough'}
    - id: Doctor
      type: literal
      config: {content: '{{patient.name}} ({{ patient.age }}) is seen. {{remark}}'}
    - id: Board
      type: passthrough
      config: {only_last_message: false}
    - id: Notice
      type: literal
      config: {content: 'about {{patient.name}}'}
  edges:
    - from: Reception
      to: Nurse
      dynamic: {type: map, config: {split_type: json_array, item_name: patient}}
    - from: Nurse
      to: Doctor
      dynamic: {type: map, config: {item_name: remark}}
      processor: {type: template, config: {template: '{{ patient.name|upper }} has {{ content }}'}}
    - {from: Doctor, to: Board}
    - {from: Board, to: Notice}
`;

const nested = `version: 0.4.0
graph:
  id: outer
  start: [List]
  end: [All]
  nodes:
    - {id: List, type: literal, config: {content: "ada\\ngrace"}}
    - id: Team
      type: subgraph
      config:
        type: config
        config:
          id: inner
          start: [Greet]
          end: [Greet]
          nodes:
            - {id: Greet, type: literal, config: {content: 'Hello {{who}}'}}
          edges: []
    - {id: All, type: passthrough, config: {only_last_message: false}}
  edges:
    - {from: List, to: Team, dynamic: {type: map, config: {split_type: lines, item_name: who}}}
    - {from: Team, to: All}
`;

const summed = `version: 0.4.0
graph:
  id: summed
  start: [Numbers]
  end: [Sum]
  nodes:
    - {id: Numbers, type: literal, config: {content: '["one", "two"]'}}
    - {id: Sum, type: literal, config: {content: 'group of {{number}}'}}
  edges:
    - {from: Numbers, to: Sum, dynamic: {type: tree, config: {split_type: json_array, item_name: number, group_size: 2}}}
`;

const texts = async (finished: EndedRun, node: string) =>
  (await finished.executions(node)).flatMap((outputs) => outputs.map(textOf));

function itemsOn(name: string, open: () => Promise<Stage>): void {
  describe(`items of fan-outs, runs kept in ${name}`, () => {
    const stage = openBeforeAll(open);
    const run = (text: string) => stage.run(text, 'go');

    it('are inserted into the texts of a chain of maps', async () => {
      const finished = await run(ward);

      expect((await texts(finished, 'Nurse')).sort()).toEqual(['cough', 'fever']);
      expect(await texts(finished, 'Board')).toEqual([
        'Ann (30) is seen. ANN has fever',
        'Bob (61) is seen. BOB has cough',
      ]);
    });

    it('are absent after the units are joined', async () => {
      const finished = await run(ward);
      const board = (await finished.executions('Board')).flat();

      expect(board.map(({ metadata }) => metadata?.['items'])).toEqual([undefined, undefined]);
      expect(await texts(finished, 'Notice')).toEqual(['about {{patient.name}}']);
    });

    it('are available in a subgraph that is called for a unit', async () => {
      expect(await texts(await run(nested), 'All')).toEqual(['Hello ada', 'Hello grace']);
    });

    it('are absent for a group of several', async () => {
      expect((await run(summed)).description.output?.content).toBe('group of {{number}}');
    });
  });
}

itemsOn('memory', () => openStage({ where: { local: true } }));

describe('with a Redis', () => {
  const installation = newInstallation();

  itemsOn('Redis', () => openStage({ where: installation.where }));
});
