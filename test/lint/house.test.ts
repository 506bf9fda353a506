import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeEach } from '../support/fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const Files = z.array(z.object({ path: z.string(), lines: z.number(), kind: z.string() }));
const { filesOf } = z
  .object({ filesOf: z.function({ input: [z.string()], output: Files }) })
  .parse(await import(join(root, 'scripts/house.mjs')));

const checkout = directoryBeforeEach();

function write(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(checkout, dirname(path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
}

it('counts the files and lines of this checkout as find and wc do', () => {
  const counted = (what: string) =>
    Number(
      spawnSync('sh', ['-c', `find packages/*/src -type f ${what} -not -path '*/generated/*' -exec cat {} + | wc -l`], {
        cwd: root,
        encoding: 'utf8',
      }).stdout,
    );
  const lines = (kind: string) => filesOf(root).reduce((sum, file) => sum + (file.kind === kind ? file.lines : 0), 0);

  expect(lines('source')).toBeGreaterThan(50_000);
  expect(lines('source')).toBe(
    counted(`\\( -name '*.ts' -o -name '*.tsx' -o -name '*.lua' \\) -not -name '*.test.ts' -not -name '*.test.tsx'`),
  );
  expect(lines('style')).toBe(counted(`-name '*.css'`));
});

it('prints what there is in a checkout', () => {
  write({
    '.dependency-cruiser.cjs': 'module.exports = { options: { tsPreCompilationDeps: true } };',
    'scripts/lint/floors.cjs': "module.exports = { floors: { core: ['model', 'plan'] } };",
    'packages/core/src/index.ts': "export { wordsOf } from './plan/words.ts';\n",
    'packages/core/src/plan/words.ts':
      "import { a } from '../model/a.ts';\n\nexport const wordsOf = () => a as unknown as string;\n",
    'packages/core/src/model/a.ts': `import type { Up } from '../plan/up.ts';\ninterface Options { x: Up }\nexport const a = ({ x }: Options) => x;\n`,
    'packages/core/src/plan/up.ts': `export type Up = string;\n${'\n'.repeat(40)}`,
    'packages/core/src/generated/big.ts': '\n\n\n',
    'packages/core/src/plan/words.test.ts': "it('is a case', () => {});\nit.each([1])('is one, too', () => {});\n",
    'test/chaos/storm.test.ts': "it('storms', () => {});\n",
  });
  const { stdout } = spawnSync(process.execPath, ['scripts/house.mjs', checkout], { cwd: root, encoding: 'utf8' });

  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.split(/ {2,}/));
  expect(rows).toEqual([
    ['source files', '4', expect.any(String)],
    ['lines', '48'],
    ['lines of a file', '12', 'on average'],
    ['files of ≤ 40 lines', '3'],
    ['… with one importer', '2'],
    ['style sheets', '0', '0 lines'],
    ['core', '4', '48 lines, 12 a file'],
    ['arrows of folders', '2', '1 of them upwards (floors.cjs)'],
    ['… of first folders', '2', '1 of them upwards (floors.cjs)'],
    ['private interfaces', '1', expect.any(String)],
    ['unsafe casts', '1', expect.any(String)],
    ['private words', '2', 'words 2'],
    ['tests: beside sources', '1', 'files, 2 cases as written'],
    ['tests: chaos', '1', 'files, 1 cases as written'],
  ]);
}, 60_000);
