import { describe, expect, it } from 'vitest';
import { project } from './project.ts';
import type { ProjectedEntry } from './projected-entry.ts';
import { displayedStatus, usageByNode } from './read-projection.ts';
import { beginRunProjection, nodeIn, restoreProjection, snapshotOf } from './run-projection.ts';

const place = { nodeId: 'Writer', nodeType: 'agent', graph: 'Team' } as const;
const of = { activation: 'a1', ...place } as const;
const usage = { promptTokens: 3, completionTokens: 2, microUsd: 7 };

/** Projects events, one commit each. */
function projected(...events: readonly ProjectedEntry['event'][]) {
  const projection = beginRunProjection();
  for (const [at, event] of events.entries()) project(projection, { id: `${at + 1}-0`, at, event });
  return projection;
}

const entered = { type: 'graph.entered', scope: 's1', graph: 'Team', task: [], presets: [] } as const;
const ready = { type: 'activation.ready', scope: 's1', node: 2, part: 'whole', ...of } as const;
const asks = {
  type: 'activation.suspended',
  wait: { kind: 'human', prompt: 'Is it good?', input: '' },
  ...of,
} as const;

describe('the projection of published events', () => {
  it('has the beginning of the last output of a node, and the name of the node', () => {
    const projection = projected(entered, ready, {
      type: 'activation.completed',
      outputs: [],
      routes: [],
      text: 'Once upon…',
      ...of,
    });

    expect(nodeIn(projection, 'Team', 2)).toMatchObject({ id: 'Writer', runs: 1, outputText: 'Once upon…' });
  });

  it('has a question with the wait for its answer', () => {
    const projection = projected(entered, ready, { ...asks, text: 'Is it good?' });

    expect(projection.live.get('a1')?.waitsFor).toEqual({ type: 'person', since: 2, prompt: 'Is it good?' });
    expect(displayedStatus(projection)).toBe('waiting');
  });

  it('has the error of the activation that failed last', () => {
    const error = { code: 'MODEL_REFUSED', message: 'No. '.repeat(100) };
    const projection = projected(entered, ready, { type: 'activation.failed', error, text: 'No. No. …', ...of });

    expect(nodeIn(projection, 'Team', 2).failure).toEqual({ code: 'MODEL_REFUSED', message: 'No. No. …' });
  });

  it('has the usage of nodes by their paths', () => {
    const call = { type: 'step.completed', step: 1, result: 'm1', usage, ...of } as const;
    const projection = projected(entered, ready, call, { ...call, step: 2, usage: { ...usage, microUsd: undefined } });

    const sum = { calls: 2, promptTokens: 6, completionTokens: 4, microUsd: 7, unpriced: 1 };
    expect(usageByNode(projection)).toEqual({ 'Team/Writer': sum });
    expect(projection.usage).toEqual(sum);
  });
});

it('holds no texts of stored events, whose snapshots are stored', () => {
  const { nodeId: _id, nodeType: _type, graph: _graph, ...stored } = asks;
  const projection = projected(
    entered,
    { type: 'activation.ready', activation: 'a1', scope: 's1', node: 2, part: 'whole' },
    stored,
  );

  const snapshot = JSON.stringify(snapshotOf(projection));
  expect(snapshot).not.toContain('Is it good?');
  expect(restoreProjection(JSON.parse(snapshot))).toEqual(projection);
});
