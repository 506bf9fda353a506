import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../support/fixtures.ts';

const script = fileURLToPath(new URL('../../scripts/lint/words.mjs', import.meta.url));

const folder = directoryBeforeEach();

/** Checks a folder with one file in it; returns the exit code and the lines that were printed. */
function check(path: string, text: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return { status, lines: stderr.trim().split('\n') };
}

describe('the check of words', () => {
  it('reports the position of a name with a refused word, and the word to use', () => {
    const { status, lines } = check(
      'packages/new/src/worker.ts',
      '\nexport interface Workshop {\n  hiredAt: number;\n  openErrands: number;\n}\n',
    );

    expect(status).toBe(1);
    expect(lines).toEqual([
      'packages/new/src/worker.ts:2: "Workshop" has the word "workshop". Use: fleet.',
      'packages/new/src/worker.ts:4: "openErrands" has the word "errand". Use: job.',
    ]);
  });

  it('reports the name of a file', () => {
    const { status, lines } = check('packages/new/src/courier-jobs.test.ts', 'export {};\n');

    expect(status).toBe(1);
    expect(lines).toEqual([
      'packages/new/src/courier-jobs.test.ts:1: "courier-jobs" has the word "courier". Use: relay, delivery.',
    ]);
  });

  it('ignores strings, templates, comments and longer words', () => {
    const { status } = check(
      'packages/new/src/worker.ts',
      "// Workshop\nexport const desktop = ['workshop', `desk ${1}`, /heir/]; /** Stranger */\n",
    );

    expect(status).toBe(0);
  });

  it('finds names within templates', () => {
    const { lines } = check('packages/new/src/worker.ts', 'export const text = (heir: string) => `a ${heir}`;\n');

    expect(lines).toHaveLength(2);
  });
});
