import { readFileSync } from 'node:fs';
import { createVocabulary } from '@millrace/catalog';
import type { RunDescription } from '@millrace/runtime';
import { beforeAll, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { WorkerProcess } from '../../support/processes/worker-process.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { waitFor } from '../../support/waiting.ts';

const fleet = openBeforeAll(openFleet);
let worker: WorkerProcess;
beforeAll(async () => {
  worker = await fleet.startWorker();
});

const vocabulary = createVocabulary();
const onEdge = (template: string) =>
  workflowIn(
    `graph:
  id: g
  nodes: [{ id: Source, type: passthrough, config: {} }, { id: Target, type: passthrough, config: {} }]
  edges: [{ from: Source, to: Target, processor: { type: template, config: { template: ${JSON.stringify(template)} } } }]
`,
    vocabulary,
  );

async function ended(template: string, input = 'go'): Promise<RunDescription | undefined> {
  const { runs } = fleet.runtime;
  const run = await runs.start({ workflow: onEdge(template), input });
  await fleet.until(run, ({ event }) => event.type === 'run.finished');
  return runs.describe(run);
}

/** Memory of the worker in MiB. */
const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.name.split('-').at(-1)}/status`, 'utf8'))?.[1]) / 1024;

it.each([
  ['that needs too much memory', '{% set n = 4200000000 %}{{ ("x" * n) | length }}', 'go'],
  [
    'that nests a list',
    '{% set n = namespace(l=[]) %}{% for i in range(20000) %}{% set n.l = [n.l] %}{% endfor %}{{ n.l }}',
    'go',
  ],
  ['of a text that nests', '{{ a | length }}', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
])('a worker renders edges after a template %s', async (_what, template, input) => {
  expect(await ended(template, input)).toMatchObject({ status: 'failed', error: { code: 'TEMPLATE_LIMIT' } });
  expect(await ended('{{ content | upper }}')).toMatchObject({
    status: 'completed',
    output: { content: 'GO' },
    warnings: { count: 0 },
  });
});

it('a worker gives back the memory of a template', async () => {
  await ended('{{ content }}');
  const before = residentMb();
  const large = '{% set n = 30000000 %}{% set a = "x" * n %}{% set b = a ~ a %}{{ b | length }}';
  const doubling =
    '{% set n = namespace(s="x") %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}';

  expect(await ended(large)).toMatchObject({ status: 'completed', output: { content: '60000000' } });
  expect(await ended(doubling)).toMatchObject({ status: 'failed', error: { code: 'TEMPLATE_LIMIT' } });
  await waitFor(() => expect(residentMb() - before).toBeLessThan(60));
});
