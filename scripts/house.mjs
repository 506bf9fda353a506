// `npm run house [-- FOLDER]`: prints how the sources of a checkout are cut and worded: files and lines, small files with one
// importer, folders that import upwards, casts, private words, tests.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './process.mjs';

/** Words of identifiers that a reader from outside cannot guess, or that mean several things here. */
const privateWords = [
  ...['astray', 'attendance', 'eloquent', 'facts', 'heir', 'hire', 'patients', 'picture', 'place', 'said', 'speech'],
  ...['strangers', 'turn', 'victim', 'voice', 'words', 'workshop'],
];

/** Measures a checkout; returns rows of a name, a number and what is to be said about it. */
export async function measure(checkout) {
  const files = filesOf(checkout);
  const sources = files.filter(({ kind }) => kind === 'source');
  const styles = files.filter(({ kind }) => kind === 'style');
  const imports = await importsOf(checkout, sources);
  return [
    ...sizes(sources, styles, imports),
    ...sizesOfPackages(sources, styles),
    ...arrows(checkout, imports),
    ...(await findings(files)),
  ];
}

/** The sources, style sheets and tests of a checkout, without what is generated. */
export function filesOf(checkout) {
  const folders = [...readdirSync(join(checkout, 'packages')).map((name) => `packages/${name}/src`), 'test'];
  return folders
    .flatMap((top) => readdirSync(join(checkout, top), { recursive: true }).map((name) => `${top}/${name}`))
    .filter((path) => /\.(?:tsx?|lua|css)$/.test(path) && !path.includes('/generated/'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(checkout, path), 'utf8');
      return { path, text, lines: text.split('\n').length - 1, kind: kindOf(path) };
    });
}

function kindOf(path) {
  if (/\.test\.tsx?$/.test(path)) return 'test';
  if (path.startsWith('test/')) return 'support';
  return path.endsWith('.css') ? 'style' : 'source';
}

/** Pairs of sources of which the first imports the second, for its values or its types. */
async function importsOf(checkout, sources) {
  const { cruise } = await import('dependency-cruiser');
  const { options } = createRequire(join(checkout, '/'))('./.dependency-cruiser.cjs');
  const { output } = await cruise(['packages'], { ...options, baseDir: checkout });
  const known = new Set(sources.map(({ path }) => path));
  return output.modules.flatMap(({ source, dependencies }) => {
    const imported = new Set(dependencies.map(({ resolved }) => resolved).filter((path) => known.has(path)));
    return known.has(source) ? [...imported].map((path) => [source, path]) : [];
  });
}

const linesOf = (files) => files.reduce((sum, { lines }) => sum + lines, 0);

function sizes(sources, styles, imports) {
  const importers = new Map();
  for (const [, to] of imports) importers.set(to, (importers.get(to) ?? 0) + 1);
  const small = sources.filter(({ lines }) => lines <= 40);
  return [
    ['source files', sources.length, 'ts, tsx and lua below packages/*/src, without tests and what is generated'],
    ['lines', linesOf(sources), ''],
    ['lines of a file', linesOf(sources) / sources.length, 'on average'],
    ['files of ≤ 40 lines', small.length, ''],
    ['… with one importer', small.filter(({ path }) => importers.get(path) === 1).length, ''],
    ['style sheets', styles.length, `${shown(linesOf(styles))} lines`],
  ];
}

function sizesOfPackages(sources, styles) {
  const names = [...new Set(sources.map(({ path }) => path.split('/')[1]))];
  return names.map((name) => {
    const own = ({ path }) => path.startsWith(`packages/${name}/`);
    const files = sources.filter(own);
    const sheets = linesOf(styles.filter(own));
    const css = sheets === 0 ? '' : `, and ${shown(sheets)} of CSS`;
    return [name, files.length, `${shown(linesOf(files))} lines, ${shown(linesOf(files) / files.length)} a file${css}`];
  });
}

/**
 * Arrows between folders of packages that have an order of folders: a folder imports from another one. Those of all depths never
 * point upwards, which the linter ensures; those between the first folders below `src`, with all that is in them, can.
 */
function arrows(checkout, imports) {
  const { floors } = createRequire(join(checkout, '/'))('./scripts/lint/floors.cjs');
  return [
    ['arrows of folders', (folder) => folder],
    ['… of first folders', (folder) => folder.split('/')[0]],
  ].map(([name, cut]) => {
    const floorOf = (path) => {
      const [, owner, folder] = /^packages\/([^/]+)\/src\/(.+)\/[^/]+$/.exec(path) ?? [];
      const at = floors[owner]?.findIndex((each) => cut(each) === cut(folder)) ?? -1;
      return at < 0 ? undefined : { owner, at };
    };
    const all = new Map();
    for (const [from, to] of imports.map((pair) => pair.map(floorOf)))
      if (from !== undefined && to !== undefined && from.owner === to.owner && from.at !== to.at)
        all.set(`${from.owner} ${from.at} ${to.at}`, to.at > from.at);
    return [name, all.size, `${[...all.values()].filter(Boolean).length} of them upwards (floors.cjs)`];
  });
}

/** What the syntax of the files shows: interfaces, casts, words and tests. */
async function findings(files) {
  const { default: ts } = await import('typescript');
  const words = new Map(privateWords.map((word) => [word, 0]));
  const tests = new Map();
  let interfaces = 0;
  let casts = 0;
  for (const { path, text, kind } of files.filter(({ path }) => /\.tsx?$/.test(path))) {
    const nodes = nodesBelow(ts, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
    for (const word of nodes.filter(ts.isIdentifier).flatMap(wordsOf)) words.set(word, words.get(word) + 1);
    if (kind === 'source') {
      interfaces += interfacesUsedOnce(ts, nodes);
      casts += nodes.filter((node) => isUnsafeCast(ts, node)).length;
    }
    if (kind === 'test') {
      const place = path.startsWith('packages/') ? 'beside sources' : path.split('/')[1];
      tests.set(place, [...(tests.get(place) ?? []), nodes.filter((node) => isTestCase(ts, node)).length]);
    }
  }
  const found = [...words].filter(([, count]) => count > 0).sort(([, one], [, other]) => other - one);
  const sum = (counts) => counts.reduce((all, count) => all + count, 0);
  return [
    ['private interfaces', interfaces, 'that are used once, as the type of a destructured parameter'],
    ['unsafe casts', casts, 'as unknown as, as any, as never'],
    ['private words', sum([...words.values()]), found.map((each) => each.join(' ')).join(', ')],
    ...[...tests].map(([place, cases]) => [
      `tests: ${place}`,
      cases.length,
      `files, ${shown(sum(cases))} cases as written`,
    ]),
  ];
}

function nodesBelow(ts, node) {
  const nodes = [];
  const visit = (each) => {
    nodes.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return nodes;
}

/** The private words in a name, such as `words` in `wordsOf`. */
const wordsOf = ({ text }) =>
  text
    .split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter((word) => privateWords.includes(word));

/** Counts private interfaces with one use, which is the type of a parameter that is taken apart. */
function interfacesUsedOnce(ts, nodes) {
  const declared = nodes.filter((node) => ts.isInterfaceDeclaration(node) && !node.modifiers?.length);
  const uses = (name) => nodes.filter((node) => ts.isIdentifier(node) && node.text === name.text && node !== name);
  return declared.filter(({ name }) => {
    const [use, ...more] = uses(name);
    const parameter = use?.parent.parent;
    return more.length === 0 && parameter && ts.isParameter(parameter) && ts.isObjectBindingPattern(parameter.name);
  }).length;
}

function isUnsafeCast(ts, node) {
  if (!ts.isAsExpression(node)) return false;
  const isOf = (cast, ...kinds) => kinds.includes(cast.type.kind);
  const { UnknownKeyword, AnyKeyword, NeverKeyword } = ts.SyntaxKind;
  const inner = ts.skipParentheses(node.expression);
  return isOf(node, AnyKeyword, NeverKeyword) || (ts.isAsExpression(inner) && isOf(inner, UnknownKeyword));
}

/** Tells whether a node is `it('…', …)` or `it.each(…)('…', …)`. */
function isTestCase(ts, node) {
  if (!ts.isCallExpression(node) || !node.arguments[0] || !ts.isStringLiteralLike(node.arguments[0])) return false;
  let callee = node.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  return ts.isIdentifier(callee) && callee.text === 'it';
}

const shown = (value) => Math.round(value).toLocaleString('en');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, value, note] of await measure(resolve(process.argv[2] ?? root)))
    console.log(`${name.padEnd(22)}${shown(value).padStart(9)}  ${note}`.trimEnd());
}
