import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { statusOf } from '@millrace/api/codes';
import { createVocabulary } from '@millrace/catalog';
import type { Issue } from '@millrace/core';
import { issueCodes, readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const pages = new Map(
  readdirSync(new URL('docs/errors/', root))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => [name.slice(0, -'.md'.length), textOf(`docs/errors/${name}`)]),
);
/** Words that look like codes: those of other libraries, variables, a field, and the name that a count of votes speaks under. */
const others =
  /^(?:MILLRACE_\w+|\w+_API_KEY|\w+_BASE_URL|API_KEY_INVALID|(?:UND_)?ERR_\w+|FST_\w+|EAI_AGAIN|NR_CLOSED|MODULE_NOT_FOUND|EARLY_EXIT|TAG_RESOLVE_FAILED|BAD_SCALAR_START|TAB_AS_INDENT|MAJORITY_VOTE|GITHUB_(?:WORKSPACE|ACTIONS)|BLOCK_FOLDED|NONCE_OF_STYLES)$/;
const codes = codesIn(sources());

function textOf(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function sources(): readonly string[] {
  return readdirSync(new URL('packages/', root)).flatMap((name) =>
    readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => textOf(`packages/${name}/src/${path}`)),
  );
}

/** Every code in the sources: words in capitals with an underscore, and others where a code is written. */
function codesIn(texts: readonly string[]): ReadonlySet<string> {
  const patterns = [
    /'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g,
    /^ {2}([EW]_[A-Z0-9_]+):/gm,
    /\bcode: '([A-Z]{4,})'/g,
    /\b(?:new \w*Error|refuse)\(\s*'([A-Z]{4,})'/g,
  ];
  const found = texts.flatMap((text) => patterns.flatMap((pattern) => [...text.matchAll(pattern)]));
  return new Set(found.flatMap(([, code]) => (code === undefined || others.test(code) ? [] : [code])));
}

describe('the pages of error codes', () => {
  it('exist for every code', () => {
    expect([...codes].filter((code) => !pages.has(code)).sort()).toEqual([]);
  });

  it('each belong to a code', () => {
    expect([...pages.keys()].filter((code) => !codes.has(code)).sort()).toEqual([]);
  });

  it('are listed in the index, once each', () => {
    const listed = [...textOf('docs/errors/README.md').matchAll(/\[([A-Z0-9_]+)\]\(\1\.md\)/g)].map(([, code]) => code);

    expect(listed.sort()).toEqual([...pages.keys()].sort());
  });

  it('provide the entries of the index with their first sentences', () => {
    const script = fileURLToPath(new URL('scripts/docs/error-index.mjs', root));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('begin with the meaning that the reader of workflow files declares', () => {
    const meanings = Object.keys(issueCodes).map((code) => [code, pages.get(code)?.split('\n')[2]]);

    expect(Object.fromEntries(meanings)).toEqual(issueCodes);
  });

  it('name the HTTP status of the API', () => {
    const promised = [...pages].flatMap(([code, text]) => {
      const [, status] = /^(?:Exit code \d+\. )?HTTP status (\d+)\./m.exec(text) ?? [];
      return status === undefined ? [] : [[code, Number(status)] as const];
    });

    expect(promised.length).toBeGreaterThan(50);
    expect(promised).toEqual(promised.map(([code]) => [code, statusOf(code)]));
  });

  it.each([...pages])('%s has one sentence on what happened, a cause, a cure and an example', (code, text) => {
    const headings = [...text.matchAll(/^##? (.+)$/gm)].map(([, heading]) => heading);

    expect(headings).toEqual([code, 'Cause', 'Cure', 'Example']);
    expect(text.split('\n')[2]).toMatch(/^[A-Z`](?!.*[.] [A-Z]).+\.$/);
  });
});

/** Texts of the tests: what they start and call, and the fakes for it, asserts nothing. */
function tests(): readonly string[] {
  const inPackages = readdirSync(new URL('packages/', root)).flatMap((name) =>
    filesIn(`packages/${name}/src/`, /\.test\.tsx?$/),
  );
  const inTest = filesIn('test/', /^(?!support\/|docs\/error-pages).*\.(?:ts|json|yaml)$/);
  return [...inPackages, ...inTest].map(textOf);
}

const filesIn = (folder: string, wanted: RegExp): readonly string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => wanted.test(path))
    .map((path) => folder + path);

const vocabulary = createVocabulary();
/** A workflow and what is said of it. */
const examples = [...pages].flatMap(([code, text]) => {
  const [, yaml = '', said = ''] = /```yaml\n(.*?)```\n\n```\n(flow\.yaml:.*?)\n```/s.exec(text) ?? [];
  return yaml === '' ? [] : [{ code, yaml, said }];
});

it('is asserted by a test, or by the example of its page: every code', () => {
  const asserted = new Set([
    ...tests().flatMap(
      (text) => text.replaceAll(/^ *(?:\/\/|\*|\/\*).*$/gm, '').match(/(?<![A-Z0-9_])[A-Z][A-Z0-9_]{3,}/g) ?? [],
    ),
    ...examples.map(({ code }) => code),
  ]);

  // Workers observe and settle again on it, so nobody else sees it.
  const internal = new Set(['TERMINATION_MOVED']);

  expect([...pages.keys()].filter((code) => !asserted.has(code) && !internal.has(code))).toEqual([]);
});

/** As the command line shows it. */
const shown = ({ file, line, column, path, severity, message, code, hint }: Issue): string =>
  [
    [`${file}:${line}:${column}`, path, severity === 'warning' ? 'warning:' : '', `${message} [${code}]`]
      .filter((part) => part !== '')
      .join(' '),
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
  ].join('\n');

describe('the examples of definition errors', () => {
  it.each(examples)('of $code show its real message', ({ code, yaml, said }) => {
    const source = { file: 'flow.yaml', text: yaml };
    const readFile = (path: string) => (path === source.file ? source : undefined);
    const issues = (['run', 'check'] as const).flatMap((mode) =>
      readWorkflow(source, { vocabulary, mode, readFile, environment: { API_KEY: 'a-secret' } }).issues.filter(
        (issue) => issue.code === code,
      ),
    );

    expect([...new Set(issues.map(shown))].join('\n')).toBe(said);
  });
});
