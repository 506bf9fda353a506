import { renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace } from '../../support/processes/millrace.ts';

const cwd = directoryBeforeEach();
let dev: RunningCommand | undefined;
afterEach(async () => {
  await dev?.stop('SIGKILL');
});

const save = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const start = (...args: readonly string[]): RunningCommand => {
  dev = startMillrace(['dev', 'flow.yaml', ...args], { cwd });
  return dev;
};
/** Ends the command as Ctrl-C does. */
const end = (running: RunningCommand) => {
  running.signal('SIGINT');
  return running.ended;
};
/** Output up to the time at which the command has waited this many times. */
const waited = (times: number) => new RegExp(`(?:[\\s\\S]*?Waiting for changes){${times}}`);

const literal = (content: string) =>
  `graph:\n  id: g\n  nodes:\n    - {id: A, type: literal, config: {content: ${content}}}\n`;
const agent = `graph:
  id: g
  nodes:
    - {id: A, type: agent, config: {provider: openai, name: m, role: Write.}}
    - {id: B, type: human, config: {description: Good?}}
    - {id: C, type: passthrough, config: {}}
  edges: [{from: A, to: B}, {from: B, to: C, carry_data: false}, {from: A, to: C, trigger: false}]
`;

describe('millrace dev', () => {
  it('runs a workflow again each time it is saved, until Ctrl-C', async () => {
    save('flow.yaml', literal('one'));
    const running = start('--input', 'x');
    await running.says(waited(1));
    save('flow.yaml', literal('two'));
    await running.says(waited(2));
    // Many editors write a new file, and move it over the old one.
    save('new', literal('three'));
    renameSync(join(cwd, 'new'), join(cwd, 'flow.yaml'));
    await running.says(waited(3));

    expect(await end(running)).toMatchObject({ code: 0, stdout: 'one\ntwo\nthree\n' });
  });

  it('shows problems with their positions as check does, and continues when they are corrected', async () => {
    save('flow.yaml', literal('one').replace('literal', 'litteral'));
    const running = start('--input', 'x');
    const [problem] = await running.says(waited(1));
    save('flow.yaml', 'graph: [\n');
    const [syntax] = await running.says(waited(2));
    save('flow.yaml', literal('one'));
    await running.says(waited(3));

    expect(problem).toMatch(
      /^flow\.yaml:4:\d+ graph\.nodes\[0\]\.type .*litteral.*\[E_NODE_TYPE_UNKNOWN\]\n {2}hint: /m,
    );
    expect(syntax).toMatch(/^flow\.yaml:\d+:\d+ .*\[E_YAML_/m);
    expect(await end(running)).toMatchObject({ code: 0, stdout: 'one\n' });
  });

  it('waits for a removed file, and for a missing one', async () => {
    const running = start('--input', 'x');
    const [missing] = await running.says(waited(1));
    save('flow.yaml', literal('one'));
    await running.says(waited(2));
    unlinkSync(join(cwd, 'flow.yaml'));
    await running.says(waited(3));
    save('flow.yaml', literal('two'));
    await running.says(waited(4));

    expect(missing).toContain('[E_FILE_UNREADABLE]');
    expect(await end(running)).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
  });

  it('runs again when the script, the answers, the task or a subgraph is saved', async () => {
    save('flow.yaml', agent);
    save('s.yaml', 'default: "{last_user} 1"\n');
    save('a.yaml', '- fine\n');
    save('task.txt', 'task');
    const running = start('--input', '@task.txt', '--script', 's.yaml', '--answers', 'a.yaml');
    await running.says(waited(1));
    save('s.yaml', 'default: "{last_user} 2"\n');
    await running.says(waited(2));
    save('task.txt', 'other');
    await running.says(waited(3));
    save('a.yaml', 'B: [\n');
    const [broken] = await running.says(waited(4));
    save('a.yaml', '- great\n');
    await running.says(waited(5));
    save(
      'flow.yaml',
      'graph:\n  id: g\n  nodes:\n    - {id: S, type: subgraph, config: {type: file, config: {path: in.yaml}}}\n',
    );
    const [without] = await running.says(waited(6));
    save('in.yaml', literal('inner'));
    await running.says(waited(7));
    save('in.yaml', literal('changed'));
    await running.says(waited(8));

    expect(broken).toContain('a.yaml cannot be used as answers');
    expect(without).toContain('in.yaml');
    const { code, stdout } = await end(running);
    const texts = stdout.split('\n').filter((line) => /^(?:task|other|inner|changed)/.test(line));
    expect({ code, texts }).toEqual({ code: 0, texts: ['task 1', 'task 2', 'other 2', 'other 2', 'inner', 'changed'] });
  });

  it('cancels a running run when the workflow is saved', async () => {
    save('flow.yaml', agent);
    save('s.yaml', 'default: {text: late, delay_ms: 3600000}\n');
    const running = start('--input', 'x', '--script', 's.yaml');
    await running.says(/▶ run_/);
    save('flow.yaml', literal('one'));
    await running.says(waited(1));

    expect(await end(running)).toMatchObject({ code: 0, stdout: 'one\n' });
  });

  it('ends at once with Ctrl-C during a run', async () => {
    save('flow.yaml', agent);
    save('s.yaml', 'default: {text: late, delay_ms: 3600000}\n');
    const running = start('--input', 'x', '--script', 's.yaml');
    await running.says(/▶ run_/);

    expect(await end(running)).toMatchObject({ code: 0, stdout: '' });
  });

  it('continues after a run that fails or waits for an answer', async () => {
    save('flow.yaml', agent);
    save('s.yaml', 'default: {error: {status: 400, message: refused}}\n');
    const running = start('--input', 'x', '--script', 's.yaml');
    const [failed] = await running.says(waited(1));
    save('s.yaml', 'default: text\n');
    const [waiting] = await running.says(waited(2));
    save('flow.yaml', literal('one'));
    await running.says(waited(3));

    expect(failed).toContain('refused');
    expect(waiting).toContain('--answers FILE answers its questions');
    expect(await end(running)).toMatchObject({ code: 0, stdout: expect.stringMatching(/one\n$/) });
  });

  it('prints a JSON document for each run with --json', async () => {
    save('flow.yaml', literal('one'));
    const running = start('--input', 'x', '--json');
    await running.says(waited(1));

    expect(JSON.parse((await end(running)).stdout)).toMatchObject({ status: 'completed', output: 'one' });
  });

  it('serves the dashboard, which shows the runs of all attempts', async () => {
    save('flow.yaml', literal('one'));
    const running = start('--input', 'x', '--ui');
    const [, url = ''] = await running.says(/dashboard is at (\S+)\/ui\//);
    await running.says(waited(1));
    save('flow.yaml', literal('two'));
    await running.says(waited(2));

    expect(await ask(`${url}/v1/runs`)).toMatchObject({
      body: { data: [{ status: 'completed' }, { status: 'completed' }] },
    });
    expect(await end(running)).toMatchObject({ code: 0 });
  });
});
