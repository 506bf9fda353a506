import type { Message, Program, ProgramRun } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { extractProgram, PythonConfig, python } from './python.ts';

const ran: ProgramRun = {
  workspace: '/w',
  script: '/w/N.py',
  stdout: 'out\n',
  stderr: '',
  end: { type: 'exited', code: 0 },
};

async function run(text: string, { config = {}, result = ran }: { config?: unknown; result?: ProgramRun } = {}) {
  const programs: Program[] = [];
  const host = fakeHost({
    runProgram: (program) => {
      programs.push(program);
      return Promise.resolve(result);
    },
  });
  const input = text === '' ? [] : [textMessage('user', 'print(0)', 'A'), textMessage('user', text, 'A')];
  const outcome = await python.execute(PythonConfig.parse(config), input, host);
  const outputs: readonly Message[] = outcome.type === 'completed' ? outcome.outputs : [];
  return { programs, output: outputs[0] };
}

const scriptOf = async (text: string) => (await run(text)).programs[0]?.script;

describe('python', () => {
  it.each([
    ['print(1)', 'print(1)'],
    ['  x = 2\n\n    y = 3\n  print(x)\n', 'x = 2\n\n  y = 3\nprint(x)'],
    ['see:\n```python\n    a\n      b\n```\nmore', 'a\n  b'],
    ['```js\nfirst\n```\n```python\nsecond\n```', 'first'],
    ['```c++  \n\n  x\n```', 'x'],
    ['``` two words\nx\n```', '``` two words\nx\n```'],
  ])('reads the program in %j', async (text, script) => {
    expect(await scriptOf(text)).toBe(script);
  });

  it('passes what the program needs', async () => {
    const config = {
      interpreter: 'py',
      args: ['-O', 2],
      env: { A: true, B: 1.5 },
      timeout_seconds: 5,
      encoding: 'Latin-1',
    };

    const { programs } = await run('x', { config });

    expect(programs).toEqual([
      {
        interpreter: 'py',
        args: ['-O', '2'],
        env: { A: 'True', B: '1.5' },
        timeoutSeconds: 5,
        encoding: 'latin1',
        script: 'x',
      },
    ]);
  });

  it('emits the output of the program', async () => {
    const { output } = await run('x', { result: { ...ran, stderr: 'warning' } });

    expect(output).toEqual({
      ...textMessage('assistant', 'out\n', 'N'),
      metadata: { workspace: '/w', script_path: '/w/N.py' },
    });
  });

  it.each([
    [
      { ...ran, stderr: 'Traceback\n', end: { type: 'exited', code: 2 } },
      'Script execution failed\nexit_code=2\nstderr:\nTraceback\n',
      { exit_code: 2, stderr: 'Traceback\n' },
    ],
    [{ ...ran, end: { type: 'exited', code: -9 } }, 'Script execution failed\nexit_code=-9', { exit_code: -9 }],
    [{ ...ran, end: { type: 'timed out' } }, 'Script did not finish within 60s\nstderr:\nout\n', { stderr: 'out\n' }],
    [{ ...ran, end: { type: 'missing' } }, 'Interpreter py not found', {}],
  ] as const)('reports the failure (%#)', async (result, text, facts) => {
    const { output } = await run('x', { result, config: { interpreter: 'py' } });

    expect(output?.content).toBe(`==CODE EXECUTION FAILED==\n${text}`);
    expect(output?.metadata).toEqual({ workspace: '/w', script_path: '/w/N.py', ...facts });
  });

  it.each(['', '```python\n\n```', '   '])('starts no program for %j', async (text) => {
    const { programs, output } = await run(text);

    expect(programs).toEqual([]);
    expect(output?.content).toBe('==CODE EXECUTION FAILED==\nNo executable code segment found');
  });

  it('fails where no Python is installed', async () => {
    const result: ProgramRun = { ...ran, end: { type: 'missing' } };

    await expect(run('x', { result })).rejects.toMatchObject({ code: 'PYTHON_MISSING' });
  });

  it.each([{ timeout_seconds: 0 }, { timeout_seconds: 1.5 }, { encoding: 'klingon' }, { args: 'x' }, { env: [] }])(
    'refuses %j',
    (config) => {
      expect(PythonConfig.safeParse(config).success).toBe(false);
    },
  );
});

it('takes no noticeable time to find the program after a fence that does not end', async () => {
  const text = `\`\`\`python${'\n'.repeat(1_000_000)}x`;

  const ms = await cpuMs(() => expect(extractProgram(text)).toBe(text.trim()));

  expect(ms).toBeLessThan(1000);
});
