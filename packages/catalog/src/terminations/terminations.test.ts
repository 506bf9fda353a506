import type { DeltaItem, TerminationCondition, TerminationDelta } from '@millrace/core';
import { TerminationReachedError, toDeltaMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { SteppingTree } from '../../../../test/support/fakes/stepping-tree.ts';
import { conditions, happened, said } from '../../../../test/support/fakes/stepping-tree.ts';
import { createVocabulary } from '../index.ts';

const hello = said('Hello');
const stop = said('stop');
const stopKind = said('Stop', 'user', { kind: 'stop' });
const handoff = (target: string, source = 'agent') => said('over to you', source, { kind: 'handoff', target });

const { tree, leaf, max, mention } = conditions(createVocabulary());

/** Deltas one after the other, `reset` in between, and the result of each. */
type Steps = readonly (readonly [readonly DeltaItem[] | 'reset', string | undefined])[];

const cases: readonly (readonly [string, TerminationCondition, Steps])[] = [
  [
    'handoff',
    leaf('handoff', { target: 't' }),
    [
      [[], undefined],
      [[hello], undefined],
      [[handoff('t', 'a')], 'handoff: a -> t'],
      ['reset', undefined],
      [[handoff('another')], undefined],
      [[hello, handoff('t')], 'handoff: agent -> t'],
    ],
  ],
  [
    'stop_message',
    leaf('stop_message'),
    [
      [[], undefined],
      [[hello], undefined],
      [[hello, said('World', 'other')], undefined],
      [[hello, stopKind], 'stop_message: user'],
    ],
  ],
  [
    'text_message of anybody',
    leaf('text_message'),
    [
      [[], undefined],
      [[stopKind], undefined],
      [[handoff('t')], undefined],
      [[said('x', 'a', { kind: 'tool_summary' })], undefined],
      [[said('x', 'a', { kind: 'multimodal' })], undefined],
      [[stopKind, said('World', 'agent')], 'text_message: agent'],
    ],
  ],
  [
    'text_message of one',
    leaf('text_message', { source: 'agent' }),
    [
      [[hello], undefined],
      [[said('Hello', 'agent')], 'text_message: agent'],
    ],
  ],
  [
    'max_messages in one delta',
    max(2),
    [
      [[], undefined],
      [[hello, hello, hello, hello], 'max_messages: 4 of 2'],
    ],
  ],
  [
    'max_messages in two deltas',
    max(2),
    [
      [[hello, happened('human_input_requested', 'user')], undefined],
      [[hello], 'max_messages: 2 of 2'],
    ],
  ],
  [
    'max_messages with events',
    max(2, { include_agent_event: true }),
    [[[hello, happened('human_input_requested', 'user')], 'max_messages: 2 of 2']],
  ],
  [
    'text_mention',
    mention('stop'),
    [
      [[], undefined],
      [[hello, said('STOP')], undefined],
      [[hello, said('unstoppable')], "text_mention: 'stop' by user"],
    ],
  ],
  [
    'text_mention whatever the case',
    mention('stop', { case_sensitive: false }),
    [[[said('STOP')], "text_mention: 'stop' by user"]],
  ],
  [
    'text_mention by one',
    mention('stop', { sources: ['agent'] }),
    [
      [[stop], undefined],
      [[stop, said('stop', 'agent')], "text_mention: 'stop' by agent"],
    ],
  ],
  [
    'text_mention in a thought',
    mention('STOP'),
    [[[happened('thought', 'a', { text: 'STOP now' })], "text_mention: 'STOP' by a"]],
  ],
  [
    'text_mention in a call',
    mention('approve'),
    [[[happened('tool_call_request', 'a', { name: 'approve', text: '{}' })], "text_mention: 'approve' by a"]],
  ],
  [
    'text_mention without events',
    mention('STOP', { include_events: false }),
    [[[happened('thought', 'a', { text: 'STOP' })], undefined]],
  ],
  [
    'source_match',
    leaf('source_match', { sources: ['a', 'b'] }),
    [
      [[], undefined],
      [[hello, said('x', 'c')], undefined],
      [[said('x', 'b'), said('y', 'a')], 'source_match: b'],
    ],
  ],
  [
    'source_match by an event',
    leaf('source_match', { sources: ['a'] }),
    [[[happened('thought', 'a')], 'source_match: a']],
  ],
  [
    'function_call',
    leaf('function_call', { function_name: 'approve' }),
    [
      [[], undefined],
      [[hello], undefined],
      [[happened('tool_call_execution', 'a', { name: 'another' })], undefined],
      [[happened('tool_call_request', 'a', { name: 'approve' })], undefined],
      [[happened('tool_call_execution', 'a', { name: 'approve', failed: true })], 'function_call: approve'],
    ],
  ],
];

describe('terminations', () => {
  it.each(cases)('are satisfied when they should be: %s', async (_name, written, steps) => {
    const stepping = tree(written);
    for (const [items, expected] of steps) {
      if (items === 'reset') stepping.reset();
      else expect(await stepping.see(items)).toBe(expected);
    }
  });

  it('count tokens, with several limits', async () => {
    const tokens = (prompt: number, completion: number) => ({ tokens: { prompt, completion } });
    const total = tree(leaf('token_usage', { max_total_token: 10 }));
    const prompts = tree(leaf('token_usage', { max_prompt: 10 }));

    expect(await total.see([], tokens(1, 1))).toBeUndefined();
    expect(await total.see([hello])).toBeUndefined();
    expect(await total.see([happened('thought', 'a')], tokens(3, 5))).toBe(
      'token_usage: total 10, prompt 4, completion 6',
    );
    expect(await prompts.see([hello], tokens(9, 100))).toBeUndefined();
    expect(await prompts.see([hello], tokens(1, 0))).toBe('token_usage: total 110, prompt 10, completion 100');
  });

  it('measure time from the beginning of the segment', async () => {
    const stepping = tree({ any_of: [leaf('timeout', { seconds: 0.1 }), mention('never')] });

    expect(await stepping.see([hello])).toBeUndefined();
    expect(stepping.wait(0.2)).toBe('timeout: 0.1s');
    stepping.reset();
    expect(await stepping.see([hello])).toBeUndefined();
  });

  it('remember a signal until the other conditions are satisfied', async () => {
    const stepping = tree({ all_of: [leaf('external'), max(2)] });

    expect(stepping.signal('other')).toBeUndefined();
    expect(stepping.signal('external', 'by Ann')).toBeUndefined();
    expect(await stepping.see([hello])).toBeUndefined();
    expect(await stepping.see([hello])).toBe('external: external by Ann, max_messages: 2 of 2');
  });

  it('forget a signal at the end of the segment', async () => {
    const stepping = tree({ all_of: [leaf('external'), max(1)] });

    stepping.signal('external');
    stepping.reset();

    expect(await stepping.see([hello])).toBeUndefined();
  });

  it('count turns, or all activations of named nodes', async () => {
    const spoken = tree(leaf('max_turns', { max_turns: 2 }));
    const named = tree(leaf('max_turns', { max_turns: 1, sources: ['Counter'] }));

    expect(await spoken.see([hello], { task: true, turn: false })).toBeUndefined();
    expect(await spoken.see([hello], { source: 'A' })).toBeUndefined();
    expect(await spoken.see([hello], { source: 'Counter', turn: false })).toBeUndefined();
    expect(await spoken.see([hello], { source: 'B' })).toBe('max_turns: 2 of 2');
    expect(await named.see([hello], { source: 'A' })).toBeUndefined();
    expect(await named.see([], { source: 'Counter', turn: false })).toBe('max_turns: 1 of 1');
  });

  it.each<[string, SteppingTree, { readonly items: readonly DeltaItem[]; readonly more?: Partial<TerminationDelta> }]>([
    ['handoff', tree(leaf('handoff', { target: 't' })), { items: [handoff('t')] }],
    ['stop_message', tree(leaf('stop_message')), { items: [stopKind] }],
    ['text_message', tree(leaf('text_message')), { items: [hello] }],
    ['max_messages', tree(max(1)), { items: [hello] }],
    ['max_turns', tree(leaf('max_turns', { max_turns: 1 })), { items: [hello] }],
    ['text_mention', tree(mention('stop')), { items: [stop] }],
    [
      'token_usage',
      tree(leaf('token_usage', { max_total: 1 })),
      { items: [], more: { tokens: { prompt: 1, completion: 0 } } },
    ],
    ['source_match', tree(leaf('source_match', { sources: ['user'] })), { items: [hello] }],
  ])(
    'are not evaluated again once they are satisfied, until they are reset: %s',
    async (_name, stepping, { items, more }) => {
      const reason = await stepping.see(items, more);
      const kept = stepping.stateAt('$.0');

      expect(reason).toBeDefined();
      await expect(stepping.see(items, more)).rejects.toThrow(TerminationReachedError);
      expect(stepping.stateAt('$.0')).toEqual(kept);
      stepping.reset();
      expect(await stepping.see([], { turn: false })).toBeUndefined();
    },
  );

  it('are not evaluated again by a signal or by time once they are satisfied', () => {
    const signalled = tree(leaf('external'));
    expect(signalled.signal('external')).toBe('external: external');
    expect(() => signalled.signal('external')).toThrow(TerminationReachedError);
    const timed = tree(leaf('timeout', { seconds: 1 }));
    expect(timed.wait(1)).toBe('timeout: 1s');
    expect(() => timed.wait(1)).toThrow('The termination is already satisfied (timeout: 1s)');
    timed.reset();
    expect(timed.wait(0.5)).toBeUndefined();
  });

  it('count completion tokens alone, and ignore messages without usage', async () => {
    const completions = tree(leaf('token_usage', { max_completion_token: 10 }));

    expect(await completions.see([hello])).toBeUndefined();
    expect(await completions.see([hello], { tokens: { prompt: 100, completion: 9 } })).toBeUndefined();
    expect(await completions.see([], { tokens: { prompt: 0, completion: 1 } })).toBe(
      'token_usage: total 110, prompt 100, completion 10',
    );
  });

  it('find a text in the fields of structured data', async () => {
    const structured = toDeltaMessage(
      { role: 'assistant', content: [{ type: 'data', data: { verdict: 'STOP', why: 'enough' } }] },
      'agent',
    );

    expect(structured.kind).toBe('structured');
    expect(await tree(mention('STOP')).see([structured])).toBe("text_mention: 'STOP' by agent");
    expect(await tree(leaf('text_message')).see([structured])).toBeUndefined();
  });

  it('can be satisfied by the task, whatever they search for', async () => {
    const task = { task: true, turn: false };

    expect(await tree(leaf('text_message')).see([hello], task)).toBe('text_message: user');
    expect(await tree(leaf('source_match', { sources: ['user'] })).see([hello], task)).toBe('source_match: user');
    expect(await tree(max(1)).see([hello], task)).toBe('max_messages: 1 of 1');
  });

  it('observe the task by default', async () => {
    expect(await tree(mention('stop')).see([stop], { task: true })).toBe("text_mention: 'stop' by user");
    expect(await tree(mention('stop', { include_task: false })).see([stop], { task: true })).toBeUndefined();
    expect(await tree(mention('stop', { sources: ['TASK'] })).see([stop], { task: true })).toBe(
      "text_mention: 'stop' by user",
    );
  });

  it('observe subgraphs when so configured, and count nothing twice', async () => {
    const outside = tree(max(1));
    const inside = tree(max(2, { include_nested: true }));
    const tokens = tree(leaf('token_usage', { max_total: 2 }));
    const nested = { nested: true, tokens: { prompt: 1, completion: 1 } };

    expect(await outside.see([said('x', 'Sub/A')], nested)).toBeUndefined();
    expect(await inside.see([said('x', 'Sub/A')], nested)).toBeUndefined();
    expect(await inside.see([said('x', 'Sub', { returned: true })])).toBeUndefined();
    expect(await inside.see([said('x', 'Sub/A')], nested)).toBe('max_messages: 2 of 2');
    expect(await tokens.see([said('x', 'Sub/A')], nested)).toBe('token_usage: total 2, prompt 1, completion 1');
  });
});
