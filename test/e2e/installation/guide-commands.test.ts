import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { commandBlocks, filesOf, languagesOf } from '../../support/guide/guide-page.ts';
import type { GuideTerminal } from '../../support/guide/guide-terminal.ts';
import { openGuideTerminal } from '../../support/guide/guide-terminal.ts';
import { missingLines } from '../../support/guide/missing-lines.ts';
import { millrace, startServer } from '../../support/processes/millrace.ts';

/*
 * Executes the commands of the guide: each page's blocks one after the other, in an empty directory, against an installation
 * that `millrace up` has started. A block of text directly after commands is their output. What a page takes for granted, such as a run, is created by comments before its blocks.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const prelude = readFileSync(new URL('../../support/guide/guide-prelude.sh', import.meta.url), 'utf8');

/** Pages in the order of their execution: keys close the API of the installation, so their page is the last one. */
const pages = [
  'start.md',
  ...readdirSync(join(root, 'docs/guide'))
    .filter((name) => name.endsWith('.md') && !['tutorial.md', 'security.md'].includes(name))
    .map((name) => `guide/${name}`),
  ...['coming-from', 'compare', 'concepts'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  ),
  'index.md',
  'glossary.md',
  'guide/security.md',
];

const directory = directoryBeforeAll();
const installation = { cwd: directory, env: { MILLRACE_DIR: join(directory, 'data') } };
const up = openBeforeAll(() => startServer(['up', '--port', '0'], installation));
let redisUrl: string;

beforeAll(async () => {
  redisUrl = (await millrace(['redis-url'], installation)).stdout.trim();
});

async function openPage(page: string): Promise<GuideTerminal> {
  const cwd = join(directory, page.replaceAll('/', '-'));
  mkdirSync(cwd);
  cpSync(join(root, 'examples'), join(cwd, 'examples'), { recursive: true });
  copyFileSync(join(root, 'docs/images/dashboard.png'), join(cwd, 'notes.png'));
  for (const [name, text] of [...filesOf('guide/README.md'), ...filesOf(page)]) writeFileSync(join(cwd, name), text);
  const env = { REDIS_URL: redisUrl, MILLRACE_DIR: join(directory, 'data'), REPOSITORY: root };
  return openGuideTerminal({ cwd, env, api: up.url, prelude });
}

const executable = (page: string) => commandBlocks(page).filter(({ reason }) => reason === undefined);

describe.each(pages.filter((page) => executable(page).length > 0))('the commands of %s', (page) => {
  it('are executed as they are written, and print what the page shows after them', async () => {
    const terminal = await openPage(page);
    try {
      for (const { line, setup, text, output } of executable(page)) {
        const { code, stdout } = await terminal.execute(`exec 2>&1\n${setup}${text}`);
        const missing = missingLines(output, stdout);
        expect({ line, code, missing, stdout }).toEqual({ line, code: 0, missing: [], stdout });
      }
    } finally {
      await terminal.close();
    }
  });
});

describe('the pages of the guide', () => {
  it('name existing tests where commands are not executed', () => {
    const named = pages.flatMap((page) =>
      commandBlocks(page).flatMap(({ reason = '' }) => reason.match(/test\/\S+\.test\.ts/g) ?? []),
    );

    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('mark each block with its language', () => {
    const known = new Set(['sh', 'yaml', 'ts', 'python', 'json', 'csv', 'http', 'ini', 'text', 'markdown']);
    const others = pages.flatMap((page) =>
      languagesOf(page).flatMap(({ line, language }) => (known.has(language) ? [] : [`${page}:${line} ${language}`])),
    );

    expect(others).toEqual([]);
  });

  it('give a reason for each block that is not executed here', () => {
    const left = pages.flatMap((page) =>
      commandBlocks(page).flatMap(({ reason }) => (reason === undefined ? [] : [`${page}: ${reason}`])),
    );

    expect(left).toEqual([
      expect.stringContaining('start.md: test/e2e/installation/installed-packages.test.ts'),
      'guide/agents.md: needs Ollama and a model of 2 GB',
      'guide/agents.md: needs the model of Ollama',
      expect.stringContaining('examples/refund.test.yaml'),
      expect.stringContaining('test/e2e/cli/http.test.ts'),
      expect.stringContaining('test/e2e/installation/installed-packages.test.ts'),
      'guide/docker.md: needs Docker; test/compose/compose.test.ts runs it where Docker is',
      expect.stringContaining('test/e2e/installation/installed-packages.test.ts'),
      expect.stringContaining('test/chaos/storm.test.ts'),
      expect.stringContaining('test/e2e/installation/doctor.test.ts'),
      expect.stringContaining('test/e2e/installation/doctor.test.ts'),
      expect.stringContaining('test/e2e/access/api-keys.test.ts'),
      expect.stringContaining('test/e2e/storage/object-storage.test.ts'),
      expect.stringContaining('test/e2e/storage/object-storage.test.ts'),
      expect.stringContaining('test/e2e/storage/object-storage.test.ts'),
      expect.stringContaining('test/e2e/installation/bench.test.ts'),
      'guide/production.md: needs a cluster',
      expect.stringContaining('test/e2e/services/restore.test.ts'),
      'guide/production.md: needs a cluster',
      expect.stringContaining('test/nightly/load.test.ts'),
    ]);
  });
});
