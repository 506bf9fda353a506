import type { ChatMessage, ChatReply } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { OnIncomplete } from './on-incomplete.ts';
import { askWhole } from './whole-reply.ts';

const start: readonly ChatMessage[] = [{ role: 'user', content: 'hi' }];
const usage = (completionTokens: number) => ({ promptTokens: 9, completionTokens });
const done: ChatReply = { text: 'done', end: 'stop' };
const cut = (text: string, tokens = 100): ChatReply => ({ text, end: 'length', usage: usage(tokens) });
const call = { id: 'c1', name: 'save', arguments: '{"a"' };

interface Options {
  readonly policy?: OnIncomplete;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly compat?: boolean;
}

/** Asks a model that gives these replies; the last one again and again. */
async function ask(replies: readonly ChatReply[], { policy, params = {}, compat = false }: Options = {}) {
  const requests: { readonly messages: readonly ChatMessage[]; readonly limit: number | undefined }[] = [];
  const warnings: string[] = [];
  const host = { compat, warn: ({ code }: { readonly code: string }) => void warnings.push(code) };
  const reply = askWhole(
    {
      host,
      policy,
      params,
      async ask(messages, limit) {
        requests.push({ messages, limit });
        return replies[Math.min(requests.length, replies.length) - 1] ?? done;
      },
    },
    start,
  );
  const outcome = await reply.then(
    ({ text, toolCalls }) => ({ text, ...(toolCalls && { toolCalls }) }),
    ({ code }: { readonly code: string }) => code,
  );
  return { outcome, warnings, limits: requests.map(({ limit }) => limit), last: requests.at(-1)?.messages.slice(1) };
}

describe('a reply that was cut', () => {
  it('is asked for again with twice its limit, up to twice, where the author wrote none', async () => {
    expect(await ask([cut('a'), done])).toMatchObject({
      outcome: { text: 'done' },
      limits: [undefined, 200],
      last: [],
    });
    expect(await ask([cut('a'), cut('b', 200), cut('c', 400)])).toMatchObject({
      outcome: 'MODEL_REPLY_CUT',
      limits: [undefined, 200, 400],
    });
  });

  it('is given up once a larger limit changes nothing', async () => {
    expect(await ask([cut('a'), cut('b')])).toMatchObject({ outcome: 'MODEL_REPLY_CUT', limits: [undefined, 200] });
  });

  it.each(['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'])(
    'is accepted with a warning where the author wrote %s',
    async (name) => {
      const accepted = { outcome: { text: 'a' }, warnings: ['W_REPLY_CUT'], limits: [undefined] };
      expect(await ask([cut('a')], { params: { [name]: 9 } })).toMatchObject(accepted);
      expect(await ask([cut('a')], { params: { extra_body: { [name]: 9 } } })).toMatchObject(accepted);
    },
  );

  it('does as the author says', async () => {
    expect(await ask([cut('a')], { policy: 'fail' })).toMatchObject({
      outcome: 'MODEL_REPLY_CUT',
      limits: [undefined],
    });
    expect(await ask([cut('a'), done], { policy: { ...auto, length: 'retry', limit: 7 } })).toMatchObject({
      outcome: { text: 'done' },
      limits: [undefined, 7],
    });
    expect(await ask([cut('a'), cut('b'), done], { policy: { ...auto, length: 'retry', times: 1 } })).toMatchObject({
      outcome: 'MODEL_REPLY_CUT',
    });
    expect(
      await ask([cut('Once '), cut('upon '), { text: 'a time', end: 'stop' }], { policy: 'continue' }),
    ).toMatchObject({
      outcome: { text: 'Once upon a time' },
      warnings: [],
      last: [
        { role: 'assistant', content: 'Once ' },
        { role: 'user' },
        { role: 'assistant', content: 'upon ' },
        { role: 'user' },
      ],
    });
  });

  it('never returns its calls, and the model is told', async () => {
    const calls: ChatReply = { ...cut(''), toolCalls: [{ ...call, arguments: '{}' }] };
    const limited = { params: { max_tokens: 100 } };

    for (const compat of [false, true]) {
      expect(await ask([calls, done], { ...limited, compat })).toMatchObject({
        outcome: { text: 'done' },
        last: [
          {
            role: 'user',
            content:
              'Your call of save was not executed, as your reply was cut after 100 tokens. Write less in one call.',
          },
        ],
      });
      expect(await ask([calls], { ...limited, compat })).toMatchObject({ outcome: 'MODEL_REPLY_CUT' });
    }
    expect(await ask([calls], { policy: 'accept' })).toMatchObject({
      outcome: { text: '' },
      warnings: ['W_REPLY_CUT'],
    });
  });
});

const auto = { length: 'auto', empty: 'auto', refusal: 'auto', malformed: 'auto', times: 2 } as const;

describe('a reply without a text', () => {
  it('fails if thoughts took the limit of the author, and is asked for again if they took another one', async () => {
    expect(await ask([cut('')], { params: { max_tokens: 100 } })).toMatchObject({ outcome: 'MODEL_REPLY_EMPTY' });
    expect(await ask([cut(''), done])).toMatchObject({ outcome: { text: 'done' }, limits: [undefined, 200] });
    expect(await ask([cut('')])).toMatchObject({ outcome: 'MODEL_REPLY_CUT' });
    expect(await ask([cut('')], { compat: true })).toMatchObject({
      outcome: { text: '' },
      warnings: ['W_REPLY_EMPTY'],
    });
  });

  it('is asked for once more, and then accepted', async () => {
    const empty: ChatReply = { text: ' ', end: 'stop' };
    expect(await ask([empty, done])).toMatchObject({ outcome: { text: 'done' }, warnings: [] });
    expect(await ask([empty])).toMatchObject({ warnings: ['W_REPLY_EMPTY'], limits: [undefined, undefined] });
    expect(await ask([empty], { compat: true })).toMatchObject({ warnings: [], limits: [undefined] });
    expect(await ask([empty], { policy: 'fail' })).toMatchObject({ outcome: 'MODEL_REPLY_EMPTY' });
  });
});

describe('a reply of another end', () => {
  it('that was refused fails at once, or is accepted without its calls', async () => {
    for (const end of ['filter', 'refusal'] as const) {
      const refused: ChatReply = { text: 'no', end, toolCalls: [call] };
      expect(await ask([refused, done])).toMatchObject({ outcome: 'MODEL_REFUSED', limits: [undefined] });
      const accepted = { outcome: { text: 'no' }, warnings: ['W_REPLY_REFUSED'] };
      expect(await ask([refused], { compat: true })).toMatchObject(accepted);
      expect(await ask([refused], { policy: { ...auto, refusal: 'accept' } })).toMatchObject(accepted);
      expect(await ask([refused, done], { policy: 'retry' })).toMatchObject({ outcome: { text: 'done' } });
    }
  });

  it('with a call that cannot be read is accepted without it where the author says so', async () => {
    const malformed: ChatReply = { text: 'no', end: 'malformed', toolCalls: [call] };
    expect(await ask([malformed], { policy: 'accept' })).toMatchObject({
      outcome: { text: 'no' },
      warnings: ['W_CALL_MALFORMED'],
    });
    expect(await ask([malformed], { policy: 'fail' })).toMatchObject({ outcome: 'MODEL_CALL_MALFORMED' });
  });

  it('that filled the context fails', async () => {
    expect(await ask([{ text: 'a', end: 'context' }])).toMatchObject({ outcome: 'MODEL_CONTEXT_FULL' });
  });

  it('that is paused is continued ten times', async () => {
    const paused: ChatReply = { text: 'a', end: 'paused', opaque: 'o' };
    expect(await ask([paused, paused, done])).toMatchObject({
      outcome: { text: 'aadone' },
      last: [{ role: 'assistant', content: 'a', opaque: 'o' }, { role: 'assistant' }],
    });
    const { outcome, limits } = await ask([paused]);
    expect([outcome, limits.length]).toEqual(['MODEL_REPLY_CUT', 11]);
  });

  it('that is unknown returns the calls that can be read', async () => {
    const whole = { ...call, arguments: '{}' };
    expect(await ask([{ text: 'a', end: 'unknown', toolCalls: [call, whole] }])).toMatchObject({
      outcome: { text: 'a', toolCalls: [whole] },
    });
  });
});
