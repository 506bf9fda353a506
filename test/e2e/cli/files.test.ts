import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { command as inProcess } from '../../support/processes/command.ts';
import { startMillrace } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';

/** Copies what was attached to a file of its own. */
const workflow = `graph:
  id: copying
  start: [Say]
  end: [Copy]
  nodes:
    - id: Say
      type: literal
      config:
        content: |
          import glob
          [path] = glob.glob("attachments/*/data.csv")
          open("..hid", "w").write("seen")
          open("copy.csv", "w").write(open(path).read())
          print("copied")
    - {id: Copy, type: python, config: {}}
  edges: [{from: Say, to: Copy}]
`;

const asking = `graph:
  id: asking
  nodes: [{id: Ask, type: human, config: {}}]
`;

const directory = directoryBeforeAll({ 'flow.yaml': workflow, 'data.csv': 'a,b\n1,2' });
const file = (name: string): string => join(directory, name);
const env = { ...newInstallation().env, MILLRACE_DIR: file('home') };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const command = (...args: readonly string[]) => inProcess(args, env);

describe('files on the command line', () => {
  it('are attached to a run, and fetched from it', async () => {
    const ran = await command('run', file('flow.yaml'), '--input', '', '--attach', file('data.csv'), '--json');
    expect(ran.code, ran.stderr).toBe(0);
    const { runId } = JSON.parse(ran.stdout);

    expect((await command('artifacts', runId)).stdout).toMatch(
      /^Copy\.py .*\ncopy\.csv {2}7 B {2}text\/csv {2}Copy \(a2\)$/m,
    );
    expect((await command('artifacts', runId, '--get', 'copy.csv')).stdout).toBe('a,b\n1,2');
    await command('artifacts', runId, '--to', file('fetched'));
    expect(await readFile(file('fetched/copy.csv'), 'utf8')).toBe('a,b\n1,2');
    expect(await readFile(file('fetched/..hid'), 'utf8')).toBe('seen');
    expect((await command('artifacts', runId, '--get', 'other')).code).toBe(3);
  });

  it('are attached by their ids once they are uploaded, to a run with tags', async () => {
    const upload = await command('run', file('flow.yaml'), '--input', '', '--attach', file('data.csv'));
    expect(upload.code).toBe(0);
    const id = `file_${sha256(`${sha256('a,b\n1,2')}/data.csv`).slice(0, 32)}`;

    const again = await command('run', file('flow.yaml'), '--input', '', '--attach', id, '--tag', 'again', '--json');

    expect(again.code, again.stderr).toBe(0);
    const { runId } = JSON.parse(again.stdout);
    expect((await command('artifacts', runId, '--get', 'copy.csv')).stdout).toBe('a,b\n1,2');
    expect((await command('runs', '--tag', 'again')).stdout).toContain(runId);
    const none = ['--attach', `file_${'0'.repeat(32)}`];
    expect((await command('run', file('flow.yaml'), '--input', '', ...none)).stderr).toContain('[FILE_UNKNOWN]');
    expect((await command('run', file('flow.yaml'), '--input', '', '--tag', '')).code).toBe(2);
  });

  it('are attached to an answer', async () => {
    await writeFile(file('asking.yaml'), asking);
    const worker = startMillrace(['worker'], { cwd: directory, env });
    await worker.says(/Working on runs/);
    const ran = await command('run', file('asking.yaml'), '--input', '', '--json');
    const { runId } = JSON.parse(ran.stdout);
    expect((await command('answer', runId, 'This.', '--attach', file('nothing.csv'))).code).toBe(2);
    const answered = await command('answer', runId, 'This.', '--attach', file('data.csv'));
    expect(answered.code, answered.stderr).toBe(0);

    expect((await command('watch', runId)).stdout).toContain('data.csv');
    worker.signal('SIGTERM');
    await worker.ended;
  });

  it('that are missing or too large start no run', async () => {
    const missing = await command('run', file('flow.yaml'), '--input', '', '--attach', file('nothing.csv'));
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('nothing.csv: There is no such file. Check the path. [E_FILE_UNREADABLE]'),
    ]);

    await writeFile(file('large.bin'), Buffer.alloc(33 * 1024 * 1024));
    const large = await command('run', file('flow.yaml'), '--input', '', '--attach', file('large.bin'));
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('[ATTACHMENT_TOO_LARGE]')]);
    const endless = await command('run', file('flow.yaml'), '--input', 'x', '--attach', '/dev/zero');
    expect([endless.code, endless.stderr]).toEqual([
      2,
      expect.stringContaining('/dev/zero: The file has more than 64 MiB. Nothing was sent. [E_FILE_TOO_LARGE]'),
    ]);
  });
});
