import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../process.mjs';

/*
 * Generates the tables of `docs/errors/README.md`: one row for each page, with the first sentence of the page. Codes that
 * begin with `E_` or `W_` belong to workflow files; a row for any other code is written by hand once, in the table of its
 * family, and kept up to date from then on.
 *
 * `node scripts/docs/error-index.mjs` writes the index, and `--check` only reports whether it is up to date.
 */

const folder = join(root, 'docs', 'errors');
const path = join(folder, 'README.md');
const row = /^\| \[([A-Z0-9_]+)\]\(\1\.md\) \|.*\|$/;
const families = { E_: 'Errors in a workflow', W_: 'Warnings' };

/** Returns the sentence that each page begins with, by code. */
function meanings() {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return new Map(
    names.map((name) => [name.slice(0, -'.md'.length), readFileSync(join(folder, name), 'utf8').split('\n')[2]]),
  );
}

/** Returns the index with the rows of each table made anew, in alphabetical order. */
function withRows(index, pages) {
  const written = [...index.matchAll(new RegExp(row, 'gm'))].map(([, code]) => code);
  const unlisted = [...pages.keys()].filter((code) => !written.includes(code));
  const homeless = unlisted.filter((code) => families[code.slice(0, 2)] === undefined);
  if (homeless.length > 0)
    throw new Error(`docs/errors/README.md: add a row to the table of its family for ${homeless.join(', ')}.`);

  const sections = index.split(/^(?=## )/m).map((section) => {
    const title = /^## (.*)$/m.exec(section)?.[1];
    const lines = section.split('\n');
    const first = lines.findIndex((line) => row.test(line));
    if (first < 0) return section;
    const codes = lines.filter((line) => row.test(line)).map((line) => row.exec(line)[1]);
    const all = [...codes, ...unlisted.filter((code) => families[code.slice(0, 2)] === title)];
    const rows = all
      .filter((code) => pages.has(code))
      .sort()
      .map((code) => `| [${code}](${code}.md) | ${pages.get(code)} |`);
    return [...lines.slice(0, first), ...rows, ...lines.slice(first).filter((line) => !row.test(line))].join('\n');
  });
  return sections.join('');
}

const index = readFileSync(path, 'utf8');
const current = withRows(index, meanings());
if (!process.argv.includes('--check')) writeFileSync(path, current);
else if (index !== current) {
  console.error('docs/errors/README.md is out of date. Run `npm run docs`.');
  process.exitCode = 1;
}
