import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { openStage } from '../../support/runs/stage.ts';

const directory = directoryBeforeAll();
const stage = openBeforeAll(() => openStage({ where: { local: true }, workspaces: directory }));

const yaml = `version: 0.4.0
graph:
  id: software
  start: [Writer]
  nodes:
    - {id: Writer, type: passthrough, config: {}}
    - {id: Reader, type: passthrough, config: {}}
  edges:
    - from: Writer
      to: Reader
      process: {type: function, config: {name: code_save_and_run}}
`;

const fence = (path: string, code: string) => `${path}\n\`\`\`python\n${code}\n\`\`\``;

async function run(software: string) {
  const { description } = await stage.run(yaml, software);
  const workspace = join(directory, description.run, 'code_workspace');
  return { output: description.output && textOf(description.output), workspace };
}

describe('the processor code_save_and_run', () => {
  it('runs main.py with the other files beside it', async () => {
    const software = `${fence('lib/words.py', 'word = "hello"')}\n${fence('main.py', 'from lib.words import word\nprint(word)')}`;

    const { output, workspace } = await run(software);

    expect(output).toBe(`${software}\n\nhello\n\nThe software run successfully without errors.`);
    expect((await readdir(workspace)).sort()).toEqual(['lib', 'main.py']);
  });

  it('reports errors without the path of the workspace', async () => {
    const { output, workspace } = await run(fence('main.py', 'raise ValueError("no")'));

    expect(output).toContain('File "/main.py", line 1');
    expect(output).toContain('ValueError: no');
    expect(output).not.toContain(workspace);
  });

  it('reports a missing main.py', async () => {
    const { output } = await run(fence('other.py', 'print(1)'));

    expect(output).toMatch(/can't open file .*main\.py/);
  });

  it('ends a program after 3 seconds, without a failure when it printed no error', async () => {
    const { output } = await run(fence('main.py', 'import time\nprint("on")\ntime.sleep(60)'));

    expect(output).toMatch(/\n\non\n\nThe software run successfully without errors\.$/);
  });

  it('writes nothing outside of the workspace, and passes the message on', async () => {
    const software = fence('../../escaped.py', 'x = 1');

    const { output, workspace } = await run(software);

    expect(output).toBe(software);
    expect(await readdir(join(workspace, '../../..'))).not.toContain('escaped.py');
  });
});
