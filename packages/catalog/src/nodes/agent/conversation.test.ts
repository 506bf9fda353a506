import type { Message } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { ConversationInput } from './conversation.ts';
import { buildConversation } from './conversation.ts';

const said = (input: readonly Message[], more: Partial<ConversationInput> = {}) =>
  buildConversation({
    config: { input_mode: 'messages' },
    input,
    skills: '',
    memory: undefined,
    compat: false,
    ...more,
  });

const user = textMessage('user', 'hi', 'TASK');
const toolCalls = [{ id: 'c1', name: 'add', arguments: '{}' }];
const calling: Message = { ...textMessage('assistant', 'let me add', 'A'), toolCalls };
const result: Message = { ...textMessage('tool', '5', 'A'), toolCallId: 'c1' };

describe('a conversation', () => {
  it('begins with the role and the skills', () => {
    const messages = said([user], { config: { role: 'Be brief.', input_mode: 'messages' }, skills: 'Skills: none.' });

    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.\n\nSkills: none.' });
  });

  it('has memories directly before the last user message', () => {
    const messages = said([user, textMessage('user', 'again', 'B'), textMessage('assistant', 'no', 'A')], {
      memory: 'M',
    });

    expect(messages.map(({ content }) => content)).toEqual(['hi', 'M', 'again', 'no']);
  });

  it('has memories before the text in prompt mode', () => {
    const messages = said([user], { config: { input_mode: 'prompt' }, memory: 'M' });

    expect(messages).toEqual([{ role: 'user', content: 'M\n\n=== INPUT FROM TASK (user) ===\n\nhi' }]);
  });

  it('keeps tool calls that are followed by their results', () => {
    expect(said([user, calling, result]).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it.each([
    ['results without their calls', [result, user], ['hi']],
    ['calls without their results', [user, calling, user], ['hi', 'let me add', 'hi']],
    ['calls with other results', [calling, { ...result, toolCallId: 'c2' }], ['let me add']],
    ['calls that nothing was said with', [user, { ...calling, content: '' }], ['hi']],
  ])('drops %s', (_what, input, left) => {
    const messages = said(input);

    expect(messages.map(({ content }) => content)).toEqual(left);
    expect(messages.every((message) => message.toolCalls === undefined)).toBe(true);
  });
});
