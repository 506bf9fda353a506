import type { Program, ProgramRun } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import { codeSaveAndRun } from './processor-functions.ts';

const fence = (name: string, code: string, language = 'python') => `${name}\n\`\`\`${language}\n${code}\n\`\`\``;
const success = 'The software run successfully without errors.';

const ran: ProgramRun = {
  workspace: '/w/code',
  script: '/w/code/main.py',
  stdout: '',
  stderr: '',
  end: { type: 'exited', code: 0 },
};

async function run(text: string, result: Partial<ProgramRun> = {}) {
  const programs: Program[] = [];
  const output = await codeSaveAndRun(text, {
    runProgram: async (program) => {
      programs.push(program);
      return { ...ran, ...result };
    },
  });
  return { programs, output };
}

describe('code_save_and_run', () => {
  it('passes a text without files unchanged', async () => {
    expect(await run('no ```python\ncode\n```')).toEqual({ programs: [], output: 'no ```python\ncode\n```' });
  });

  it('runs main.py among the files of the text for 3 seconds', async () => {
    const { programs } = await run(
      `Here:\n\n main.py \n${fence('', 'import a').trim()}\nand\n${fence('lib/a.py', 'x = 1', '')}`,
    );

    expect(programs).toMatchObject([
      {
        interpreter: 'python3',
        timeoutSeconds: 3,
        script: {
          main: 'main.py',
          files: [
            { path: 'main.py', text: 'import a' },
            { path: 'lib/a.py', text: 'x = 1' },
          ],
        },
      },
    ]);
  });

  const code = fence('main.py', 'x');
  const failed = { end: { type: 'exited', code: 1 } } as const;

  it.each<[string, Partial<ProgramRun>, string]>([
    ['printed', { stdout: ' hi \n' }, `hi\n\n${success}`],
    ['is silent', {}, success],
    ['is ended after its time', { end: { type: 'timed out' }, stdout: 'tick' }, `tick\n\n${success}`],
    ['fails without a word', failed, success],
    ['complains', { ...failed, stderr: 'in /w/code: no' }, 'in /w/code: no'],
    ['throws', { ...failed, stderr: 'Traceback\n "/w/code/main.py"' }, 'Traceback\n "/main.py"'],
    ['cannot be run', { end: { type: 'missing' } }, 'Error: there is no python3 where the worker runs'],
  ])('reports the result of a program that %s', async (_what, result, said) => {
    expect((await run(code, result)).output).toBe(`${code}\n\n${said}`);
  });

  it('takes no noticeable time for a long line, and for fences without an end', async () => {
    const texts = ['x'.repeat(1_000_000), `a.py\n\`\`\`\n${'x\n'.repeat(500_000)}`, '\n```python\n\n'.repeat(100_000)];

    const ms = await cpuMs(async () => {
      for (const text of texts) expect((await run(text)).output).toBe(text);
    });

    expect(ms).toBeLessThan(1000);
  });
});
