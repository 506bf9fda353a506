import { readdirSync, readFileSync } from 'node:fs';
import { createVocabulary } from '@millrace/catalog';
import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';

const vocabulary = createVocabulary();
const docs = new URL('../../docs/', import.meta.url);
/** Variables that a person who tries the snippets has set. */
const environment = { LANGUAGE: 'English' };

const guides = ['guide', 'coming-from'].flatMap((folder) =>
  readdirSync(new URL(folder, docs)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
);
const snippets = guides.flatMap((guide) =>
  [...readFileSync(new URL(guide, docs), 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ''], index) => ({
    name: `${guide}, snippet ${index + 1}`,
    guide,
    text,
  })),
);
const workflows = snippets.filter(({ text }) => /^graph:/m.test(text));

/** A snippet may be a file that another one includes; its first line says which. */
function readFile(path: string) {
  const found = snippets.find(({ text }) => text.startsWith(`# ${path}\n`));
  return found === undefined ? undefined : { file: path, text: found.text };
}

describe('workflows in the guide', () => {
  it.each(workflows)('can be read: $name', ({ name, text }) => {
    const { workflow, issues } = readWorkflow({ file: name, text }, { vocabulary, mode: 'run', environment, readFile });

    expect(issues).toEqual([]);
    expect(workflow).toBeDefined();
  });

  it('are complete on the page about writing workflows', () => {
    expect(snippets.filter(({ guide, text }) => guide === 'guide/workflows.md' && !/^graph:/m.test(text))).toEqual([]);
    expect(workflows.length).toBeGreaterThan(5);
  });
});
