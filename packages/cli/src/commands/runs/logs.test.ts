import type { JournalEvent } from '@millrace/client';
import { expect, it } from 'vitest';
import { sentenceOf } from './logs.ts';

const writer = { activation: 'a1', nodeId: 'Writer', nodeType: 'agent', graph: '' };
const critic = { activation: 'a2', nodeId: 'Critic', nodeType: 'human', graph: 'Team', unit: 2 };
const ref = { id: 'm1', role: 'assistant', source: 'Writer' } as const;

it('names nodes by their ids, those of subgraphs with the path of their graph', () => {
  const events: JournalEvent[] = [
    { type: 'activation.ready', ...writer, scope: 's0', node: 0, part: 'whole' },
    { type: 'activation.completed', ...writer, outputs: [ref], routes: [], text: ' First\ndraft' },
    { type: 'activation.failed', ...writer, error: { code: 'MODEL_TIMEOUT', message: 'No answer.' } },
    { type: 'graph.entered', scope: 's1', graph: 'Team', task: [], presets: [] },
    { type: 'activation.ready', ...critic, scope: 's1', node: 0, part: 'unit' },
    { type: 'activation.suspended', ...critic, wait: { kind: 'human', prompt: '', input: '' }, text: 'Well?\nSay.' },
    { type: 'activation.answered', ...critic, answer: ref, by: 'ann', text: 'Yes.' },
    { type: 'items.skipped', scope: 's0', items: [1], graph: '', nodeIds: ['Team', 'Other'] },
    { type: 'cycle.iterated', scope: 's2', iteration: 3, roots: [0], ...writer },
    { type: 'step.started', ...writer, step: 4, name: 'compact', request: 'q' },
  ];

  expect(events.map(sentenceOf)).toEqual([
    'Writer became ready (a1).',
    'Writer completed with one output: First',
    'Writer failed: No answer. [MODEL_TIMEOUT]',
    'The subgraph Team was entered.',
    'Team/Critic (item 3) became ready (a2).',
    'Team/Critic (item 3) waits for an answer: Well?',
    'Team/Critic (item 3) was answered by ann: Yes.',
    'Nothing triggered Team, Other: skipped.',
    'The loop at Writer started iteration 3.',
    'Writer shortens its conversation.',
  ]);
});

it('escapes names that contain line breaks', () => {
  const event = { type: 'activation.opened', ...writer, nodeId: 'a\nb\u001b[2J' } as const;

  expect(sentenceOf({ ...event, type: 'activation.dropped' })).toBe('a\\nb\\u001b[2J was dropped.');
});

it('omits internal and unknown events', () => {
  expect(sentenceOf({ type: 'cycle.advanced', scope: 's1', ...writer })).toBeUndefined();
  expect(sentenceOf({ type: 'moon.risen' } as unknown as JournalEvent)).toBeUndefined();
});
