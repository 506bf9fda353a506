import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shippedModels } from '@millrace/catalog';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeAll } from '../support/fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { retirements, retiringModelsNamed } = z
  .object({
    retirements: z.custom<() => Readonly<Record<string, string>>>(),
    retiringModelsNamed: z.custom<(day: string, folder?: string) => readonly string[]>(),
  })
  .parse(await import(join(root, 'scripts/release/retiring-models.mjs')));
const { dated = '', models = {} } = shippedModels();

it('no page, example or template names a model that retires within 90 days of the table of models', () => {
  // Counted from the date of the table, so that no test fails because time passes; a release counts from its own day.
  expect(retiringModelsNamed(dated)).toEqual([]);
});

const folder = directoryBeforeAll();
const texts = {
  'README.md': 'Ask gpt-5.4-nano, not gpt-5.4-nano-2 and not openai/gpt-5.4-nano.',
  'docs/guide.md': 'Nothing.',
  'docs/errors/W_MODEL_RETIRING.md': 'As gpt-5.4-nano does.',
  'examples/flow.yaml': 'name: claude-opus-4-5',
  'packages/cli/templates/flow.yaml': 'name: gpt-6-sol',
};
beforeAll(() => {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

it.each([
  ['2026-11-26', ['examples/flow.yaml: claude-opus-4-5, 2027-01-22']],
  ['2027-01-01', ['README.md: gpt-5.4-nano, 2027-04-01', 'examples/flow.yaml: claude-opus-4-5, 2027-01-22']],
  ['2026-10-01', []],
])('finds what is named when a release is made on %s', (day, found) => {
  expect(retiringModelsNamed(day, folder)).toEqual(found);
});

it('reads all retirements of the table without a library', () => {
  const all = Object.entries(models).flatMap(([name, { retires }]) => (retires == null ? [] : [[name, retires]]));

  expect(all.length).toBeGreaterThan(5);
  expect(retirements()).toEqual(Object.fromEntries(all));
});
