import { readWorkflow, textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../index.ts';
import { BranchConfig, branch } from './branch.ts';

const holds = (config: unknown, chosen?: unknown) =>
  branch.compile(BranchConfig.parse(config), { compat: false })(
    '',
    { ...textMessage('assistant', '', 'A'), ...(chosen === undefined ? {} : { metadata: { branch: chosen } }) },
    () => undefined,
  );

describe('branch', () => {
  it.each([
    [{ is: 'search' }, 'search', true],
    [{ is: 'search' }, 'finish', false],
    [{ is: 'search' }, undefined, false],
    [{ in: ['a', 'b'] }, 'b', true],
    [{ in: ['a', 'b'] }, 'c', false],
    [{ otherwise: true, except: ['a'] }, 'a', false],
    [{ otherwise: true, except: ['a'] }, 'b', true],
    [{ otherwise: true, except: ['a'] }, undefined, true],
  ])('%j of a message with the branch %j: %s', (config, chosen, expected) => {
    expect(holds(config, chosen)).toBe(expected);
  });

  it.each([{}, { is: 'a', in: ['b'] }, { is: 'a', otherwise: true }])('refuses %j', (config) => {
    expect(BranchConfig.safeParse(config).success).toBe(false);
  });
});

describe('edges with branch conditions', () => {
  const vocabulary = createVocabulary();
  const found = (...conditions: readonly string[]) => {
    const commands = '{ search: { description: Search. } }';
    const text = `
graph:
  id: branching
  start: [A]
  end: [B0]
  nodes:
    - { id: A, type: controller, config: { provider: scripted, name: m, commands: ${commands} } }
${conditions.map((_, at) => `    - { id: B${at}, type: passthrough, config: {} }`).join('\n')}
  edges:
${conditions.map((config, at) => `    - { from: A, to: B${at}, condition: { type: branch, config: ${config} } }`).join('\n')}
`;
    const { issues } = readWorkflow({ file: 'flow.yaml', text }, { vocabulary, mode: 'run' });
    return issues.map(({ code, path }) => `${code} ${path}`);
  };

  it('can name the branches of their node, and one edge can take all others', () => {
    expect(found('{ is: search }', '{ otherwise: true }')).toEqual([]);
  });

  it('cannot name a branch that their node does not have', () => {
    expect(found('{ is: serch }', '{ in: [search, lost] }')).toEqual([
      'E_BRANCH_NAME graph.edges[0].condition',
      'E_BRANCH_NAME graph.edges[1].condition',
    ]);
  });

  it('cannot both take all other branches', () => {
    expect(found('{ otherwise: true }', '{ otherwise: true }')).toEqual([
      'E_BRANCH_OTHERWISE graph.edges[1].condition',
    ]);
  });
});
