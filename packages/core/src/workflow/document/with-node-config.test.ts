import { expect, it } from 'vitest';
import { parse } from 'yaml';
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
  expect(edited).toContain(`config: { role: "Be brief: \\"yes\\".", provider: openai, name: new }`);
  expect(edited).toContain('name: inner');
});

it.each([
  ['a word', 'crow-2'],
  ['a text that YAML reads as something else', 'yes'],
  ['marks of YAML', 'a: [b], #c "d" \\ {e} %'],
  ['lines', 'You write.\n\n  - briefly\n- well'],
  ['lines with a last one that ends', 'You write.\nBriefly.\n'],
  ['lines that end in spaces', 'You write. \nBriefly.'],
  ['lines of Windows, and other ends of lines', 'a\r\nb\u2028c\u0085d'],
  ['nothing', ''],
])('writes %s so that it is read as it was, and nothing else anew', (_kind, role) => {
  const written = `graph:
  start: [A]   # kept as it is
  nodes:
    - id: A
      config:
        provider:  openai
        role: |
          Old words,
          in lines.
        name: m
    - {id: B, config: {name: m,role: 'old'}}
    - id: C
      config:
        # of C
        name: m
`;
  for (const node of ['A', 'B', 'C']) {
    const edited = withNodeConfig(written, { graph: '', node }, { role }) ?? '';

    const { nodes } = (parse(edited, { version: '1.1' }) as { graph: { nodes: { id: string; config: object }[] } })
      .graph;
    expect(nodes.find(({ id }) => id === node)?.config).toMatchObject({ role, name: 'm' });
    expect(edited).toContain('start: [A]   # kept as it is');
    if (node !== 'A') expect(edited).toContain('provider:  openai');
    if (node !== 'B') expect(edited).toContain("{name: m,role: 'old'}");
  }
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
