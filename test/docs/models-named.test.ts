import { readdirSync, readFileSync } from 'node:fs';
import { shippedModels } from '@millrace/catalog';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const dayMs = 86_400_000;
const { dated = '', models = {} } = shippedModels();
/** Counted from the date of the table, so that no test fails because time passes. */
const end = Date.parse(dated) + 90 * dayMs;
const retiring = Object.entries(models).flatMap(([name, { retires }]) =>
  retires != null && Date.parse(retires) <= end ? [name] : [],
);
/** Pages that describe retirements. */
const exempt = /^docs\/(errors\/W_MODEL_RETIR(ED|ING)\.md|adr\/)/;

const filesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|ya?ml|json|ts|py|toml)$/.test(path) && !path.includes('node_modules'))
    .map((path) => `${folder}${path}`);

it('no page, example or template names a model that retires within 90 days of the table of models', () => {
  const names = retiring.map((name) => name.replaceAll('.', '\\.')).join('|');
  const named = new RegExp(`(?<![\\w./-])(${names})(?![\\w-]|\\.\\d)`, 'g');
  const files = ['README.md', ...filesIn('docs/'), ...filesIn('examples/'), ...filesIn('packages/cli/templates/')];
  const found = files
    .filter((file) => !exempt.test(file))
    .flatMap((file) =>
      [...readFileSync(new URL(file, root), 'utf8').matchAll(named)].map(([name]) => `${file}: ${name}`),
    );

  expect(retiring.length).toBeGreaterThan(5);
  expect(found).toEqual([]);
});
