import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../process.mjs';

/*
 * Refuses words in identifiers and file names for which the field has others, so that one thing has one name. Strings and
 * comments are ignored: strings may be stored, and comments are prose.
 *
 * `node scripts/lint/words.mjs [FOLDER]` checks `packages` and `test` of a folder, by default of this checkout.
 */

/** The refused words, each with those to use. */
const refused = {
  astray: 'diverged',
  courier: 'relay, delivery',
  desk: 'service',
  errand: 'job',
  heir: 'successor',
  hire: 'startWorker',
  homestead: 'installation',
  stranger: 'unknown, other',
  telling: 'event, projection',
  workshop: 'fleet',
};

/** Returns the refused word in a name, such as `workshop` in `openWorkshops`. */
const refusedIn = (name) =>
  name
    .split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/s$/, ''))
    .find((word) => Object.hasOwn(refused, word));

/** Returns the identifiers of a TypeScript source that have a refused word, with their lines. */
async function identifiersIn(path, text) {
  // Few sources have such words, in strings at most: the others need no parser.
  if (!(text.match(/[\w$]+/g) ?? []).some(refusedIn)) return [];
  const { default: ts } = await import('typescript');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found = [];
  const visit = (node) => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && refusedIn(node.text) !== undefined)
      found.push({ name: node.text, line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1 });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
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

for (const { path, text } of sourcesIn(process.argv[2] ?? root)) {
  const stem = basename(path).split('.')[0];
  for (const { name, line } of [{ name: stem, line: 1 }, ...(await identifiersIn(path, text))]) {
    const word = refusedIn(name);
    if (word === undefined) continue;
    console.error(`${path}:${line}: "${name}" has the word "${word}". Use: ${refused[word]}.`);
    process.exitCode = 1;
  }
}
