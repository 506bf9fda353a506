import type { ChatMessage, ChatRequest, Message, MessageRef, NewRequest } from '@millrace/core';
import { noRetries } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { RequestRecorder } from './request-recorder.ts';

const requestOf = (messages: readonly ChatMessage[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  provider: 'openai',
  model: 'gpt',
  messages,
  params: { temperature: 0 },
  retry: noRetries,
  ...more,
});
const system: ChatMessage = { role: 'system', content: 'Be short.' };
const task: ChatMessage = { role: 'user', content: 'Count the lines.' };
const input: readonly (readonly [MessageRef, Message])[] = [
  [
    { id: 'm1', role: 'user', source: 'TASK' },
    { role: 'user', content: 'Count the lines.', source: 'TASK', keep: false },
  ],
];
const recorder = (hide = <T>(value: T): T => value) => new RequestRecorder(() => input, hide);
const textsOf = ({ messages }: NewRequest) => messages.map((one) => ('body' in one ? one.body.content : one.from));

describe('a recorder of requests', () => {
  it('names the input of the activation and stores the system prompt for all calls of the node', () => {
    const described = recorder().describe(requestOf([system, task]));

    expect(described.messages).toEqual([
      { digest: expect.stringMatching(/^[0-9a-f]{32}$/), body: system },
      { role: 'user', from: 'm1' },
    ]);
    expect(described.tools).toBe('none');
    expect(JSON.stringify(described.settings)).toContain('"temperature":0');
  });

  it('names replies and results of tools, and leaves out what the call before has said', () => {
    const recording = recorder();
    const first = requestOf([system, task]);
    recording.describe(first);
    recording.noteCall(0, first);
    const toolCalls = [{ id: 'call_1', name: 'count', arguments: '{}' }];
    recording.noteResult(0, { type: 'reply', reply: { text: '', end: 'calls', toolCalls } });
    recording.noteResult(1, { content: '12 lines' });

    const second = requestOf([
      system,
      task,
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', content: '12 lines', toolCallId: 'call_1' },
    ]);

    expect(recording.describe(second)).toEqual({
      base: { step: 0, kept: 2 },
      messages: [
        { role: 'assistant', from: 's0', calls: true },
        { role: 'tool', from: 's1', call: 'call_1' },
      ],
    });
  });

  it('stores a message whole that differs from what is known in anything', () => {
    const recording = recorder();
    recording.noteResult(0, { type: 'reply', reply: { text: 'Twelve.', end: 'stop' } });
    const calls = [{ id: 'c', name: 'x', arguments: '{}' }];

    const described = recording.describe(
      requestOf([
        { ...task, name: 'Ann' },
        { role: 'assistant', content: 'Twelve.', toolCalls: calls },
        { ...task, content: 'More.' },
      ]),
    );

    expect(textsOf(described)).toEqual(['Count the lines.', 'Twelve.', 'More.']);
  });

  it('says which tools and settings have changed since the call before', () => {
    const recording = recorder();
    const tools = [{ name: 'count', description: '', parameters: {} }];
    const first = requestOf([task], { tools });
    recording.noteCall(0, first);

    expect(recording.describe(first)).toEqual({ base: { step: 0, kept: 1 }, messages: [] });
    expect(recording.describe(requestOf([task])).tools).toBe('none');
    expect(recording.describe(requestOf([task], { tools, limit: 9 })).settings).toBeDefined();
  });

  it('stores neither keys nor secrets in texts', () => {
    const recording = recorder((value) => JSON.parse(JSON.stringify(value).replaceAll('open sesame', '[secret]')));

    const described = recording.describe(
      requestOf([{ role: 'system', content: 'Say open sesame.' }], {
        apiKey: 'open sesame',
        params: { header: 'open sesame' },
        tools: [{ name: 't', description: 'open sesame', parameters: {} }],
      }),
    );

    expect(JSON.stringify(described)).not.toContain('open sesame');
    expect(JSON.stringify(described)).not.toContain('apiKey');
  });
});
