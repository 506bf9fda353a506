import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const catalog = new URL('../../packages/catalog/dist/regex/search-in-child.js', import.meta.url);

/** Searches once, and begins a search that never ends. */
const endless = `
  const { searchInChild } = await import(${JSON.stringify(catalog.href)});
  const search = (text) => searchInChild({ pattern: '(a+)+\\\\b$', flags: {}, text, limit: 1 }, 2);
  await search('a');
  if (process.argv[1] === 'searching') void search('a'.repeat(60) + '!');
  console.log('begun');
  setInterval(() => undefined, 1000);
`;

it.each(['waiting', 'searching'])('the process of searches ends with a killed parent while it is %s', async (what) => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', endless, what], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: parent.stdout })) if (line === 'begun') break;
  const children = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim().split(' ');
  expect(children).toHaveLength(1);
  const [child] = children;
  expect(existsSync(`/proc/${child}`)).toBe(true);

  parent.kill('SIGKILL');

  await expect.poll(() => existsSync(`/proc/${child}`)).toBe(false);
});
