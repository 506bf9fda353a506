import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../support/fixtures.ts';

const script = fileURLToPath(new URL('../../scripts/lint/retired-names.mjs', import.meta.url));

const folder = directoryBeforeEach();

/** Checks the folder with these files in it, with a list of names of its own if there is one; returns the exit code and the lines that were printed. */
function check(files: Readonly<Record<string, string>>, ...list: readonly string[]) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [script, folder, ...list], { encoding: 'utf8' });
  return { status, lines: stderr.trim().split('\n') };
}

describe('the check of retired names', () => {
  it('reports the position of a retired identifier and the word to use', () => {
    const { status, lines } = check({
      'packages/new/src/worker.ts': '\nexport interface Crew {\n  herald: string;\n}\n',
    });

    expect(status).toBe(1);
    expect(lines).toEqual([
      'packages/new/src/worker.ts:2: "Crew" is retired. Use "WorkerContext".',
      'packages/new/src/worker.ts:3: "herald" is retired. Use "relay".',
    ]);
  });

  it('reports a retired file name', () => {
    const { status, lines } = check({ 'packages/new/src/herald.test.ts': 'export {};\n' });

    expect(status).toBe(1);
    expect(lines).toEqual([
      'packages/new/src/herald.test.ts:1: The file name "herald" is retired. Use "outbox-relay".',
    ]);
  });

  it('ignores strings, templates, comments and longer words', () => {
    const { status } = check({
      'packages/new/src/worker.ts': "// Crew\nexport const crewSize = ['Crew', `Crew ${1}`, /Crew/]; /** Crew */\n",
    });

    expect(status).toBe(0);
  });

  it('finds identifiers within templates', () => {
    const { lines } = check({ 'packages/new/src/worker.ts': 'export const text = (crew: string) => `a ${crew}`;\n' });

    expect(lines).toHaveLength(2);
  });

  it('tolerates a listed name in its package until it is gone, and then requires its removal from the list', () => {
    const list = join(folder, 'names.json');
    writeFileSync(list, '{"identifiers": {"Crew": "WorkerContext"}, "files": {}, "tolerated": {"old": ["Crew"]}}');
    const withCrew = check({ 'packages/old/src/worker.ts': 'export interface Crew {}\n' }, list);
    const withoutCrew = check({ 'packages/old/src/worker.ts': 'export interface WorkerContext {}\n' }, list);

    expect(withCrew.status).toBe(0);
    expect(withoutCrew.status).toBe(1);
    expect(withoutCrew.lines).toEqual([
      'scripts/lint/retired-names.json: "old" no longer has "Crew". Remove it from "tolerated".',
    ]);
  });
});
