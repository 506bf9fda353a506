import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import type { Surroundings } from '../../support/processes/millrace.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';

/*
 * The first run with a real key, as README.md has it: `up` in one terminal, `run` in another. The strict provider stands for the server
 * of the models.
 */

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const cwd = directoryBeforeAll({
  'poem.yaml':
    'graph: { id: poem, nodes: [{ id: Poet, type: agent, config: { provider: openai, name: gpt-6-luna, role: Write. } }] }',
});
const provider = openBeforeAll(() => startFakeProvider());
const key = { OPENAI_API_KEY: 'key' };
const terminal = (environment: Readonly<Record<string, string>>): Surroundings => ({
  cwd,
  env: { MILLRACE_DIR: join(cwd, 'data'), OPENAI_BASE_URL: provider.at('openai'), ...environment },
});

async function up(environment: Readonly<Record<string, string>>) {
  const started = startMillrace(['up'], terminal(environment));
  await started.says(/Working on runs/);
  return started;
}

it('says which worker executes a run, and that this terminal has the key which that worker lacks', async () => {
  const first = await up({});
  await millrace(['run', 'poem.yaml', '--input', 'Rain'], terminal({}));
  // By now the worker fails faster than it announces the work.
  const failed = await millrace(['run', 'poem.yaml', '--input', 'Rain'], terminal(key));
  await first.stop('SIGINT');

  const [, worker = ''] = /^Worker (\S+) executes it/m.exec(failed.stderr) ?? [];
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('MODEL_AUTH') });
  const [, other] = /^This terminal has OPENAI_API_KEY, (.+) does not: restart it with/m.exec(failed.stderr) ?? [];
  expect([`worker ${worker}`, 'the worker that executes it']).toContain(other);
  expect(failed.stderr).toContain('OPENAI_API_KEY=… millrace up');
});

it('completes with the key where README.md puts it', async () => {
  expect(readme).toMatch(/OPENAI_API_KEY=… npx millrace up .*\nnpx millrace run examples\/newsroom\.yaml/);
  const second = await up(key);
  const done = await millrace(['run', 'poem.yaml', '--input', 'Rain'], terminal({}));
  await second.stop('SIGINT');

  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('✔ completed') });
  expect(provider.refusals).toEqual([]);
});
