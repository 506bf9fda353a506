import type { ChatMessage, ChatReply, Host } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { stepAction } from '../../../../../test/support/fakes/fake-host.ts';
import type { ContextConfig } from './context-config.ts';
import { contextOf } from './context-config.ts';
import { openConversation } from './loop-conversation.ts';

const limit = 100_000;
const defaults = contextOf(undefined, false);
/** Text of so many tokens. */
const tokens = (count: number): string => 'x'.repeat(4 * count);

interface Given {
  readonly context?: Partial<ContextConfig>;
  /** Returns the error with which a request is refused. */
  readonly refuse?: (messages: readonly ChatMessage[]) => NodeError | undefined;
  /** What is known of the context of the model. */
  readonly known?: number | 'unknown';
}

/** A conversation whose model counts four bytes as a token, and the texts of each of its requests. */
function open({ context = {}, refuse, known = limit }: Given = {}) {
  const asked: string[][] = [];
  const steps: unknown[] = [];
  const summaries: string[][] = [];
  const step: Host['step'] = async (_name, request, action) => {
    steps.push(request);
    return action(stepAction({ signal: AbortSignal.timeout(1000), sleep: async () => undefined }));
  };
  const textsOf = (messages: readonly ChatMessage[]) => messages.map(({ content }) => String(content));
  const count = (messages: readonly ChatMessage[]) =>
    Math.ceil(messages.reduce((bytes, message) => bytes + JSON.stringify(message).length, 0) / 4);
  const conversation = openConversation({
    host: { step },
    start: [{ role: 'user', content: 'go' }],
    context: { ...(defaults as ContextConfig), ...context }, // it is not for ChatDev
    async ask(messages): Promise<ChatReply> {
      const error = refuse?.(messages);
      if (error !== undefined) throw error;
      asked.push(textsOf(messages));
      const usage = { promptTokens: count(messages), completionTokens: 0 };
      return { text: '', end: 'calls', usage, ...(known === 'unknown' ? {} : { context: known }) };
    },
    async summarize(messages) {
      summaries.push(textsOf(messages));
      return { text: `summary ${summaries.length}`, end: 'stop' };
    },
  });
  let call = 0;
  /** Asks, and adds a round with one result of so many tokens. */
  const round = async (size: number, of: 'read' | 'pay' | 'person' = 'read') => {
    await conversation.ask();
    call++;
    conversation.add({
      reply: { role: 'assistant', content: `call ${call}` },
      results: [
        {
          message: { role: 'tool', content: `${call} ${tokens(size)}`, toolCallId: `c${call}` },
          ...(of === 'person' ? {} : { result: { call, tool: of, isRepeatable: of !== 'pay' } }),
        },
      ],
    });
  };
  return { conversation, asked, steps, summaries, round };
}

const cleared = (texts: readonly string[] | undefined) =>
  (texts ?? []).filter((text) => text.includes('was removed to make room')).length;

describe('a conversation with tools', () => {
  it('clears the oldest results when the share is passed, and keeps the newest rounds', async () => {
    const { round, asked, conversation, steps } = open();
    for (let n = 0; n < 6; n++) await round(13_000);
    await conversation.ask();

    expect(cleared(asked.at(-2))).toBe(0);
    expect(cleared(asked.at(-1))).toBe(2);
    expect(
      asked
        .at(-1)
        ?.slice(5)
        .filter((text) => text.includes('xxx')),
    ).toHaveLength(4);
    expect(steps).toEqual([{ tokens: expect.any(Number), limit, clear: [1, 2] }]);
  });

  it('does not invite the model to repeat what has an effect', async () => {
    const { round, asked, conversation } = open();
    for (const of of ['read', 'pay', 'read', 'read', 'read', 'read'] as const) await round(13_000, of);
    await conversation.ask();

    const lines = (asked.at(-1) ?? []).filter((text) => text.startsWith('['));
    expect(lines).toEqual([
      expect.stringContaining('if you need its result, call it again with the same arguments'),
      expect.stringContaining('The result of pay, '),
    ]);
    expect(lines[1]).toContain('do not make it again');
  });

  it('waits until a quarter of the context can be cleared, as long as it fits', async () => {
    const { round, asked, conversation } = open();
    for (let n = 0; n < 5; n++) await round(15_000);
    await conversation.ask();

    // About 75,000 of 100,000 tokens, of which 15,000 could be cleared.
    expect(cleared(asked.at(-1))).toBe(0);
  });

  it('clears less than that when it no longer fits', async () => {
    const { round, asked, conversation } = open();
    for (let n = 0; n < 5; n++) await round(20_000);
    await conversation.ask();

    expect(cleared(asked.at(-1))).toBe(1);
  });

  it('clears no answers of people, and nothing that is shorter than its line', async () => {
    const { round, asked, conversation } = open();
    await round(40_000, 'person');
    await round(1);
    for (let n = 0; n < 4; n++) await round(10_000);
    await conversation.ask();

    expect(cleared(asked.at(-1))).toBe(0);
  });

  it('is not shortened where the context is not known, until the provider refuses it', async () => {
    const full = new NodeError('MODEL_CONTEXT_FULL', 'too long');
    let refusals = 0;
    const refuse = (messages: readonly ChatMessage[]) => {
      const isLong = JSON.stringify(messages).length > 4 * limit;
      if (isLong) refusals++;
      return isLong ? full : undefined;
    };
    const { round } = open({ refuse, known: 'unknown' });
    for (let n = 0; n < 20; n++) await round(12_000);

    expect(refusals).toBe(1);
    await expect(round(500_000).then(() => round(1))).rejects.toBe(full);
  });

  it('replaces older rounds by a summary of them and of the summary before', async () => {
    const { round, asked, summaries, conversation } = open({
      context: JSON.parse('{"clear":"none","then":"summarize"}'),
    });
    for (let n = 0; n < 10; n++) await round(12_000);
    await conversation.ask();

    expect(summaries).toHaveLength(2);
    expect(summaries[0]?.slice(0, 2)).toEqual(['go', 'call 1']);
    expect(summaries[1]?.[1]).toContain('summary 1');
    expect(asked.at(-1)?.[1]).toMatch(/^A summary of the conversation so far.*\n\nsummary 2$/);
    expect(asked.at(-1)?.filter((text) => text.startsWith('call'))).toEqual(['call 7', 'call 8', 'call 9', 'call 10']);
  });

  it('stays whole for ChatDev', () => {
    expect([contextOf(undefined, true), contextOf(null, true)]).toEqual([undefined, undefined]);
    expect(JSON.stringify(defaults)).toBe('{"max":0.7,"keep_rounds":4,"clear":"tool_results","then":"fail"}');
  });
});
