import type { Message } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { PickConfig, pick } from './pick.ts';

const data: Message = {
  ...textMessage('assistant', '', 'C'),
  content: [{ type: 'data', data: { command: 'run', command_args: { code: 'print(1)', tries: 2 } }, text: 'run' }],
  metadata: { variables: { goal: 'g' } },
};

const picked = (config: unknown, message: Message = data) =>
  pick.compile(PickConfig.parse(config), { compat: false })(message, fakeHost());

describe('pick', () => {
  it('makes a part of the data the text of the message, and keeps its metadata', () => {
    expect(picked({ path: 'command_args.code', as: 'text' })).toEqual({
      type: 'message',
      message: { ...data, content: 'print(1)' },
    });
  });

  it('makes a part the data, with its JSON or a part of it as the text', () => {
    const part = { code: 'print(1)', tries: 2 };

    expect(picked({ path: 'command_args' })).toMatchObject({
      message: { content: [{ type: 'data', data: part, text: JSON.stringify(part) }] },
    });
    expect(picked({ path: 'command_args', text_path: 'command_args.code' })).toMatchObject({
      message: { content: [{ data: part, text: 'print(1)' }] },
    });
  });

  it('reads the fields of a text that is a JSON object', () => {
    const message = textMessage('user', '{"answer": 42}', 'A');

    expect(picked({ path: 'answer', as: 'text' }, message)).toMatchObject({ message: { content: '42' } });
  });

  it('fails the node when the message has no such part', () => {
    expect(picked({ path: 'command_args.query' })).toEqual({
      type: 'failed',
      error: {
        code: 'E_PICK_MISSING',
        message: 'The structured data of the message from "C" has nothing at "command_args.query".',
      },
    });
  });
});
