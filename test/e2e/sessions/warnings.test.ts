import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { startRedis } from '../../support/redis/redis.ts';

const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll({
  'flow.yaml': `graph:
  id: flow
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - { id: Target, type: passthrough, config: {} }
  edges: [{ from: Source, to: Target, processor: { type: template, config: { template: "{{ missing }}" } } }]
`,
});

const call = (...args: string[]) => millrace(args, { cwd, env: { REDIS_URL: redis.url } });
const text = 'Source: the processor of the edge to "Target" failed: The template cannot be rendered: undefined value';

it('are shown by run, in --json and by show, and fail a command with --strict', async () => {
  const run = await call('run', 'flow.yaml', '--input', 'go', '--json');
  const { runId, warnings } = JSON.parse(run.stdout);
  const strict = await call('run', 'flow.yaml', '--input', 'go', '--strict');
  const watch = await call('watch', runId, '--strict');
  const show = await call('show', runId);

  expect(run.code).toBe(0);
  expect(run.stderr).toContain(`! 1 warning:\n- ${text}`);
  expect(warnings).toMatchObject({ count: 1, latest: [{ node: 'Source', code: 'TEMPLATE_FAILED' }] });
  expect(strict.code).toBe(1);
  expect(strict.stdout).toBe('go\n');
  expect(watch.code).toBe(1);
  expect(show.stdout.replaceAll(/\s+/g, ' ')).toContain(`Warning ${text}`);
});
