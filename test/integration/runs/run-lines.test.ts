import type { RunSummary, TenantRuntime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const nodes = (node: string) => `graph: {id: g, nodes: [${node}]}`;
const plain = nodes('{id: A, type: passthrough, config: {}}');
const failing = nodes(
  `{id: A, type: agent, config: {provider: scripted, name: m, retry: {enabled: false}, params: ${JSON.stringify({
    default: { error: { type: 'BadRequestError', status: 400, message: 'no such thing' } },
  })}}}`,
);

onBothStores('the line of a run in lists', (stage) => {
  const execute = async (tenant: TenantRuntime, text: string, input: string): Promise<RunSummary | undefined> => {
    const run = await tenant.start({ workflow: workflowIn(text, stage.vocabulary), input });
    return lineOf(tenant, run);
  };
  const lineOf = async (tenant: TenantRuntime, run: string): Promise<RunSummary | undefined> => {
    // Watching ends with the run.
    for await (const _ of tenant.run(run).watch('0', AbortSignal.timeout(60_000)));
    return (await tenant.list({ limit: 10 })).runs.find((line) => line.run === run);
  };

  it('has the title of its task and the code of its error', async () => {
    const line = await execute(createTenantRuntime(stage.runtime, 'failing'), failing, '\nGo.\nNow.');

    expect(line).toMatchObject({ title: 'Go.', status: 'failed', activations: 1 });
    expect(line?.error).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/) });
    expect(line).not.toHaveProperty('origin');
  });

  it('has the id of the run that it replays without the tenant', async () => {
    const tenant = createTenantRuntime(stage.runtime, 'acme');
    const first = await execute(tenant, plain, 'Again.');
    const replay = await tenant.run(first?.run ?? '').replay({});

    expect(await lineOf(tenant, replay)).toMatchObject({ title: 'Again.', origin: { type: 'replay', of: first?.run } });
  });
});
