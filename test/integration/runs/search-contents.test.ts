import type { RunCursor } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { searchContents } from '../../../packages/runtime/src/runs/search-contents.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const echo = 'graph: {id: echo, nodes: [{id: A, type: passthrough, config: {}}]}';
const slow = 'graph: {id: slow, nodes: [{id: A, type: human, config: {description: Well?}}]}';
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

  it('says how many runs it has looked at when they take too long, and goes on from there', async () => {
    const { store, blobs } = { ...stage.runtime, ...stage.runtime.runs };
    const runs: string[] = [];
    for (let at = 0; at < 23; at++)
      runs.unshift(
        await stage.runtime.runs.start({ workflow: workflowIn(slow, stage.vocabulary), input: `otter ${at}` }),
      );
    const found: string[] = [];
    const looked: number[] = [];
    for (let after: RunCursor | undefined; ; ) {
      const query = { text: 'otter', workflow: 'slow', limit: 100, ...(after === undefined ? {} : { after }) };
      const page = await searchContents({ store, blobs }, query, 0);
      found.push(...page.runs.map(({ run }) => run));
      looked.push(page.looked);
      if (page.next === undefined) break;
      after = page.next;
    }

    expect([...found].sort()).toEqual([...runs].sort());
    expect(looked.slice(0, -1)).toEqual([10, 10]);
  });
});
