import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));
const templates = fileURLToPath(new URL('../../../packages/cli/templates', import.meta.url));

const cwd = directoryBeforeEach();

const init = (folder: string, template: string, ...more: readonly string[]) =>
  command(['init', join(cwd, folder), '--template', template, ...more], {});

/** Starts the workflow of a folder that `init` has made, with what lies beside it. */
function run(folder: string, template: string, ...more: readonly string[]) {
  const directory = join(cwd, folder);
  const companions = ['script', 'answers']
    .filter((kind) => readdirSync(directory).includes(`${template}.${kind}.yaml`))
    .flatMap((kind) => [`--${kind}`, join(directory, `${template}.${kind}.yaml`)]);
  return command(['run', join(directory, `${template}.yaml`), '--local', ...companions, ...more], {});
}

/** Input of each template, and the output that it ends with. */
const expected: Readonly<Record<string, readonly [input: string, output: string]>> = {
  'review-loop': [
    'The library opens on Sundays.',
    'Sundays belong to readers. From 4 May the library and its café are open from ten to four. Entry is free.',
  ],
  'map-reduce': [
    'Green roofs',
    'Green roofs weigh 80 kg a square metre, hold back half of the rain, and wild bees live there.',
  ],
  'research-team': [
    'How do bees live in a city?',
    'Three of four wild bees nest in the ground [Nests of wild bees], and they live on lime trees and clover [Food for bees].',
  ],
  approval: [
    'My bicycle for 400 euros arrived broken.',
    'We are sorry that your bicycle arrived broken. We return the 400 euros within three days.',
  ],
  'scheduled-report': ['The orders', 'Monday. Twelve orders came in; all were sent. Nobody had to wait.'],
};

describe('millrace init', () => {
  it('has a test of each template', () => {
    expect(Object.keys(expected).sort()).toEqual(readdirSync(templates).sort());
  });

  it.each(Object.entries(expected))(
    'creates a folder that runs without a key: %s',
    async (template, [input, output]) => {
      const made = await init('new', template, '--json');
      const variables = template === 'research-team' ? ['--var', `FOLDER=${join(cwd, 'new')}`] : [];
      const checked = await command(['check', join(cwd, 'new')], {});
      const ran = await run('new', template, '--input', input, ...variables);

      expect(made.code).toBe(0);
      expect(JSON.parse(made.stdout).files.sort()).toEqual(readdirSync(join(cwd, 'new')).sort());
      expect(checked).toMatchObject({ code: 0, stdout: '', stderr: '1 file, 0 errors, 0 warnings\n' });
      expect(ran).toMatchObject({ code: 0, stdout: `${output}\n` });
    },
  );

  it.each(Object.keys(expected))(
    'writes the schema that the first line of the workflow refers to: %s',
    async (template) => {
      await init('new', template);

      const read = (name: string) => readFileSync(join(cwd, 'new', name), 'utf8');
      const [, schema = ''] = /^# yaml-language-server: \$schema=(.+)\n/.exec(read(`${template}.yaml`)) ?? [];
      expect(JSON.parse(read(schema))).toMatchObject({ title: 'Workflow' });
      // The commands of the README name files that are there.
      for (const [name] of read('README.md').matchAll(/[\w-]+(?:\.\w+)*\.(?:yaml|mjs)\b/g)) read(name);
    },
  );

  it('decides a small claim and a declined one without an approval', async () => {
    await init('new', 'approval');
    const answers = join(cwd, 'no.yaml');
    writeFileSync(answers, '- There is no photo.\n');

    const small = await run('new', 'approval', '--input', 'The bell for 12 euros is missing.');
    const declined = await run('new', 'approval', '--input', 'A bicycle for 400 euros.', '--answers', answers);

    expect(small.stdout).toContain('We send it today.');
    expect(declined.stdout).toContain('We cannot return the money');
  });

  it('ends the review loop with the last draft after three remarks', async () => {
    await init('new', 'review-loop');
    const answers = join(cwd, 'never.yaml');
    writeFileSync(answers, 'Reviewer: Rework it.\n');

    const { stdout } = await run('new', 'review-loop', '--input', 'Sundays', '--answers', answers);

    expect(stdout).toContain('From 4 May');
  });

  it('overwrites no file, not even through a link, and then writes nothing at all', async () => {
    const folder = join(cwd, 'own');
    mkdirSync(folder);
    writeFileSync(join(folder, 'README.md'), 'mine');
    symlinkSync(join(cwd, 'nowhere'), join(folder, 'workflow.schema.json'));

    const { code, stdout, stderr } = await init('own', 'approval');

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('already has README.md, workflow.schema.json; nothing was written');
    expect(stderr).toContain('[FILE_EXISTS]');
    expect(readdirSync(folder).sort()).toEqual(['README.md', 'workflow.schema.json']);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('mine');
  });

  it('adds to a folder that has other files', async () => {
    mkdirSync(join(cwd, 'own'));
    writeFileSync(join(cwd, 'own', 'other.txt'), 'mine');

    expect(await init('own', 'approval')).toMatchObject({ code: 0 });
    expect(readdirSync(join(cwd, 'own'))).toEqual(expect.arrayContaining(['other.txt', 'approval.yaml']));
  });

  it('refuses a folder whose name is that of a file', async () => {
    writeFileSync(join(cwd, 'file'), '');

    const { code, stderr } = await init('file', 'approval');

    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be made.*\[PATH_UNWRITABLE\]/s);
  });

  it('lists the templates without a terminal', async () => {
    const { code, stderr } = await command(['init', join(cwd, 'new')], {});

    expect(code).toBe(2);
    for (const template of Object.keys(expected)) expect(stderr).toContain(template);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('asks for the template in a terminal', async () => {
    const { code } = await nodeOnTerminal([main, 'init', 'new'], { cwd, env: {}, typed: [['approval', '\u001b[B\r']] });

    expect(code).toBe(0);
    expect(readdirSync(join(cwd, 'new'))).toContain('map-reduce.yaml');
  });
});
