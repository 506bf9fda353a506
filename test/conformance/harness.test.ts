import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../support/fixtures.ts';
import { runProgram } from '../support/processes/run-program.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const directory = directoryBeforeAll();

it('the suite ends when a retry has to wait', async () => {
  const args = [path('run.mjs'), '--engine', 'memory', '--cases', path('cases'), '--only', 'retry'];

  expect(await runProgram(process.execPath, args)).toMatchObject({ code: 0, stdout: '1 passed, 0 failed\n' });
});

it('a program that waits for ever fails with the reason', async () => {
  const waiting = join(directory, 'waiting.mjs');
  await writeFile(waiting, 'export const main = () => new Promise(() => undefined);\n');
  const support = pathToFileURL(path('../support/processes/from-sources.mjs'));
  const script = `import { runFromSources } from '${support}'; await runFromSources(${JSON.stringify(waiting)});`;

  const { code, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', script]);

  expect(code).toBe(1);
  expect(stderr).toContain('waiting.mjs did not end');
});
