import { readFileSync } from 'node:fs';
import { createVocabulary } from '@millrace/catalog';
import { readWorkflow, textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { extensions } from '../../examples/extensions.ts';
import { fakeHost } from '../support/fakes/fake-host.ts';

const root = new URL('../../', import.meta.url);
const vocabulary = createVocabulary(extensions);

const workflow = `graph:
  id: extended
  start: [Clerk]
  nodes:
    - id: Clerk
      type: agent
      config: {provider: scripted, name: m, tooling: [{type: function, config: {tools: [{name: "travel:All"}]}}]}
    - {id: Reader, type: passthrough, config: {}}
  edges:
    - {from: Clerk, to: Reader, condition: is_long, processor: {type: function, config: {name: first_line}}}
`;

describe('the example of extensions', () => {
  it('is printed unchanged in the guide', () => {
    const example = readFileSync(new URL('examples/extensions.ts', root), 'utf8');

    expect(readFileSync(new URL('docs/guide/extending.md', root), 'utf8')).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  it('can be used by workflows', () => {
    const read = (known: typeof vocabulary) =>
      readWorkflow({ file: 'x.yaml', text: workflow }, { vocabulary: known, mode: 'run' }).issues.map(
        ({ code }) => code,
      );

    expect(read(vocabulary)).toEqual([]);
    expect(read(createVocabulary()).sort()).toEqual(['E_FUNCTION_UNKNOWN', 'E_FUNCTION_UNKNOWN', 'E_TOOL_UNKNOWN']);
  });

  it('works as the guide says', async () => {
    const condition = vocabulary.conditions.get('function')?.compile({ name: 'is_long' }, { compat: false });
    const processor = vocabulary.processors.get('function')?.compile({ name: 'first_line' }, { compat: false });

    const holds = (text: string) => condition?.(text, textMessage('user', text, 'A'), () => undefined);
    expect([await holds('x'), await holds('x'.repeat(1001))]).toEqual([false, true]);
    const processed = await processor?.(textMessage('user', 'a\nb', 'A'), fakeHost());
    expect(processed?.type === 'message' && textOf(processed.message)).toBe('a');
  });
});
