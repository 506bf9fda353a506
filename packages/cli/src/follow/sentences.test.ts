import type { Event } from '@millrace/core';
import { expect, it } from 'vitest';
import type { PlanSummary } from './plan-summary.ts';
import { createSentences } from './sentences.ts';

const node = (id: string) => ({ id, type: 'agent' });
const graph = (ids: readonly string[]) => ({
  logLevel: 'DEBUG' as const,
  nodes: ids.map(node),
  items: ids.map((_, index) => ({ members: [index] })),
});
const plan: PlanSummary = {
  graphs: new Map([
    ['', graph(['Writer', 'Team'])],
    ['Team', graph(['Critic'])],
  ]),
};

function sentencesOf(events: readonly Event[]): readonly (string | undefined)[] {
  const sentenceOf = createSentences(plan);
  return events.map((event, at) => sentenceOf({ id: `1-${at}`, at, event }));
}

it('names nodes by their ids, those of subgraphs with the path of their graph', () => {
  const events: Event[] = [
    { type: 'activation.ready', activation: 'a1', scope: 's0', node: 0, part: 'whole', token: 't' },
    { type: 'activation.failed', activation: 'a1', error: { code: 'MODEL_TIMEOUT', message: 'No answer.' } },
    { type: 'graph.entered', scope: 's1', graph: 'Team', task: [], presets: [] },
    { type: 'activation.ready', activation: 'a2', scope: 's1', node: 0, part: 'unit', unit: 2, token: 't' },
    { type: 'activation.suspended', activation: 'a2', wait: { kind: 'human', prompt: 'Well?\nSay.', input: '' } },
    { type: 'items.skipped', scope: 's0', items: [1] },
  ];
  expect(sentencesOf(events)).toEqual([
    'Writer became ready (a1).',
    'Writer failed: No answer. [MODEL_TIMEOUT]',
    'The subgraph Team was entered.',
    'Team/Critic (item 3) became ready (a2).',
    'Team/Critic (item 3) waits for an answer: Well?',
    'Nothing triggered Team: skipped.',
  ]);
});

it('says nothing about events that matter to Millrace alone', () => {
  expect(
    sentencesOf([
      { type: 'cycle.levelled', scope: 's1' },
      { type: 'fanout.layered', scope: 's1' },
    ]),
  ).toEqual([undefined, undefined]);
});
