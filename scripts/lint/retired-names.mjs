import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../process.mjs';

/*
 * Refuses identifiers and file names that were replaced by words of the field, so that one thing keeps one name. Strings and
 * comments are ignored: strings may be persisted, and comments are prose. `retired-names.json` holds the retired names with
 * the words to use and, by package, the names that a package still has. Those are tolerated there as long as they are in
 * use; a name that is gone from the package must leave the list, and is refused from then on.
 *
 * `node scripts/lint/retired-names.mjs [FOLDER [NAMES]]` checks `packages` and `test` of a folder, by default of this
 * checkout, with a list of names, by default the one beside this file.
 */

/** Returns the identifiers of a TypeScript source that are among some names, with their lines. */
async function identifiersIn(path, text, names) {
  const isRetired = (word) => Object.hasOwn(names, word);
  // Few sources have such words, in strings at most: the others need no parser.
  if (!(text.match(/[\w$]+/g) ?? []).some(isRetired)) return [];
  const { default: ts } = await import('typescript');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found = [];
  const visit = (node) => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isRetired(node.text.replace(/^#/, ''))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ name: node.text.replace(/^#/, ''), line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The package of a path; tests outside of packages are one more, `test`. */
const packageOf = (path) => (path.startsWith('packages/') ? path.split('/')[1] : path.split('/')[0]);

/**
 * Returns what is wrong with sources, as `path:line: message`. Each of `files` has a path and its text; `lists` has the
 * retired names of identifiers and of files (without endings), and those that are tolerated, by package.
 */
async function findRetiredNames(files, { identifiers, files: fileNames, tolerated }) {
  const problems = [];
  const seen = new Set();
  const owners = new Set(files.map(({ path }) => packageOf(path)));
  for (const { path, text } of files) {
    const owner = packageOf(path);
    const report = (name, line, message) => {
      seen.add(`${owner} ${name}`);
      if (!tolerated[owner]?.includes(name)) problems.push(`${path}:${line}: ${message}`);
    };
    const stem = basename(path).split('.')[0];
    if (Object.hasOwn(fileNames, stem))
      report(`${stem}.ts`, 1, `The file name "${stem}" is retired. Use "${fileNames[stem]}".`);
    for (const { name, line } of await identifiersIn(path, text, identifiers))
      report(name, line, `"${name}" is retired. Use "${identifiers[name]}".`);
  }
  for (const owner of owners)
    for (const name of tolerated[owner] ?? [])
      if (!seen.has(`${owner} ${name}`))
        problems.push(
          `scripts/lint/retired-names.json: "${owner}" no longer has "${name}". Remove it from "tolerated".`,
        );
  return problems;
}

/** Returns the TypeScript sources of packages and tests below a folder. */
function sourcesIn(folder) {
  return ['packages', 'test'].flatMap((top) => {
    if (!existsSync(join(folder, top))) return [];
    return readdirSync(join(folder, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
      .sort()
      .map((name) => ({ path: `${top}/${name}`, text: readFileSync(join(folder, top, name), 'utf8') }));
  });
}

const [folder = root, list = new URL('retired-names.json', import.meta.url)] = process.argv.slice(2);
const problems = await findRetiredNames(sourcesIn(folder), JSON.parse(readFileSync(list, 'utf8')));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
