import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace, millraceProgram, startMillrace } from '../../support/processes/millrace.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';
import { waitFor } from '../../support/waiting.ts';

const cwd = directoryBeforeAll({
  'verdict.yaml': `
graph:
  id: verdict
  start: [Editor, Owner]
  end: [Editor]
  nodes:
    - id: Editor
      type: human
      config:
        description: May it be published?
        output:
          schema:
            type: object
            properties:
              verdict: { enum: [accept, revise] }
              score: { type: integer, maximum: 10 }
            required: [verdict]
    - { id: Owner, type: human, config: { description: Who pays? } }
`,
});
const surroundings = { cwd, env: { MILLRACE_DIR: join(cwd, 'data') } };
openBeforeAll(async () => {
  const worker = startMillrace(['worker'], surroundings);
  await worker.says(/Working on runs/);
  return { close: () => worker.stop('SIGINT') };
});

it('asks for what was not written: each field, until the answer is what it asks for', async () => {
  const { stdout } = await millrace(['run', 'verdict.yaml', '--input', 'A text.', '--detach'], surroundings);
  const run = stdout.trim();
  await waitFor(async () => {
    const { stdout: open } = await millrace(['tasks', '--json'], surroundings);
    expect(JSON.parse(open)).toHaveLength(2);
  });
  const refused = await millrace(['answer', `${run}.a1`, 'yes'], surroundings);
  const { code, shown } = await nodeOnTerminal([millraceProgram, 'answer', `${run}.a1`], {
    ...surroundings,
    typed: [
      ['verdict (accept | revise)', 'perhaps\r'],
      ['"perhaps" is no value of verdict.', ''],
      ['verdict (accept | revise)', 'accept\r'],
      ['score (integer, optional)', '12\r'],
      // The server refuses the whole answer.
      ['verdict (accept | revise)', 'accept\r'],
      ['score (integer, optional)', '9\r'],
    ],
  });
  const { tasks } = JSON.parse((await millrace(['show', run, '--json'], surroundings)).stdout);

  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('verdict (accept | revise)\n  score (integer, optional)');
  expect(code).toBe(0);
  expect(shown).toContain('Answered.');
  expect(tasks).toMatchObject([{ node: 'Owner' }]);
});

it('says how to answer a question of a run that is watched, and ends with 130 when that is interrupted', async () => {
  const { stdout } = await millrace(['run', 'verdict.yaml', '--input', 'A text.', '--detach'], surroundings);
  const run = stdout.trim();

  const watch = startMillrace(['watch', run], surroundings);
  await watch.says(new RegExp(`Answer it in another terminal:\\n  millrace answer ${run}\\.a1 --data '{…}'`));
  await watch.says(new RegExp(`Answer it in another terminal:\\n  millrace answer ${run}\\.a2 "…"`));
  watch.signal('SIGINT');

  expect(await watch.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining(`The run continues. Follow it with: millrace watch ${run}`),
  });
});
