import { createTenantRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { onBothStores } from '../../support/runs/both-stores.ts';

const echo = 'graph: {id: echo, nodes: [{id: A, type: passthrough, config: {}}]}';
const fixed = 'graph: {id: fixed, nodes: [{id: A, type: literal, config: {content: The Answer is zebra.}}]}';

onBothStores('a search of contents', (stage) => {
  it('finds runs by words anywhere in their tasks and results, and says where to go on', async () => {
    const filler = 'lorem '.repeat(200);
    const first = await stage.run(echo, `${filler} a heron at the river`);
    const second = await stage.run(fixed, 'something');
    await stage.run(echo, 'nothing of the kind');
    const tenant = createTenantRuntime(stage.runtime, 'default');
    const found = async (text: string, limit = 10) => {
      const { runs, next } = await tenant.list({ text, limit });
      return { runs: runs.map(({ run }) => run), hasMore: next !== undefined };
    };

    expect(await found('RIVER heron')).toEqual({ runs: [first.description.run], hasMore: false });
    expect(await found('zebra')).toEqual({ runs: [second.description.run], hasMore: false });
    expect(await found('heron zebra')).toEqual({ runs: [], hasMore: false });
    expect((await found('o', 1)).hasMore).toBe(true);
    expect((await tenant.list({ text: 'heron', workflow: 'fixed', limit: 10 })).runs).toEqual([]);
  });
});
