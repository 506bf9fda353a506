import { expect, it } from 'vitest';
import { withNodeConfig } from './with-node-config.ts';

const text = `# The team
graph:
  id: team
  nodes:
    - id: Writer # writes
      type: agent
      config: { provider: openai, name: old }
    - id: Sub
      type: subgraph
      config:
        type: config
        config:
          id: inner
          nodes:
            - { id: Writer, type: agent, config: { name: inner } }
`;

it('changes one node and keeps comments', () => {
  const edited = withNodeConfig(text, { graph: '', node: 'Writer' }, { name: 'new', role: 'Be brief: "yes".' });

  expect(edited).toContain('# The team');
  expect(edited).toContain('- id: Writer # writes');
  expect(edited).toContain(`config: { provider: openai, name: new, role: 'Be brief: "yes".' }`);
  expect(edited).toContain('name: inner');
});

it('finds a node in the graph inside another node', () => {
  const edited = withNodeConfig(text, { graph: 'Sub', node: 'Writer' }, { name: 'other' });

  expect(edited).toContain('name: old');
  expect(edited).toContain('config: { name: other }');
});

it('has no text for a node that is not written in it', () => {
  expect(withNodeConfig(text, { graph: '', node: 'Reader' }, { name: 'x' })).toBeUndefined();
  expect(withNodeConfig(text, { graph: 'Writer', node: 'Writer' }, { name: 'x' })).toBeUndefined();
});
