import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../process.mjs';

/*
 * Finds pages, examples and templates that name a model whose retirement is near, by the shipped table of models. It imports
 * no package, so that a release can be checked before anything is installed: of the table it reads names and dates only.
 */

const table = join(root, 'packages/catalog/src/models/models.yaml');
const dayMs = 86_400_000;
/** Retirements are near when they are this close, in days. */
const nearDays = 90;

/** Pages that describe retirements. */
const exempt = /^docs\/(errors\/W_MODEL_RETIR(ED|ING)\.md|adr\/)/;

/** Returns the retirement dates of models by their names, as in `2027-01-14`. */
export function retirements() {
  const found = {};
  let name = '';
  const [, rows = ''] = readFileSync(table, 'utf8').split(/^models:$/m);
  for (const line of rows.split('\n')) {
    name = /^ {2}([\w.-]+):/.exec(line)?.[1] ?? name;
    const date = /\bretires: (\d{4}-\d{2}-\d{2})\b/.exec(line)?.[1];
    if (date !== undefined) found[name] = date;
  }
  return found;
}

/**
 * Returns `file: model, date` for every mention of a model that retires within 90 days of a day, as in `2026-11-26`, in the
 * texts of a folder like that of the repository.
 */
export function retiringModelsNamed(day, folder = root) {
  const dates = retirements();
  const end = new Date(Date.parse(day) + nearDays * dayMs).toISOString().slice(0, 10);
  const names = Object.keys(dates).filter((name) => dates[name] <= end);
  if (names.length === 0) return [];
  const named = new RegExp(`(?<![\\w./-])(${names.join('|').replaceAll('.', '\\.')})(?![\\w-]|\\.\\d)`, 'g');
  const texts = ['docs/', 'examples/', 'packages/cli/templates/'].flatMap((part) => filesIn(folder, part));
  return ['README.md', ...texts]
    .filter((file) => !exempt.test(file))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(named)].map(([name]) => `${file}: ${name}, ${dates[name]}`),
    );
}

const filesIn = (folder, part) =>
  readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|ya?ml|json|ts|py|toml)$/.test(path) && !path.includes('node_modules'))
    .map((path) => `${part}${path}`);
