import type { CallDetail } from '@millrace/client';
import { expect, it } from 'vitest';
import { callPage } from './activation-page.ts';

const call: CallDetail = { step: 2, name: 'chat gpt-6-sol', startedAt: 0, completedAt: 1500, isRecorded: false };

it('says in whose place a model was asked, and what its cache has saved', () => {
  const usage = { promptTokens: 90, completionTokens: 10, cachedTokens: 60, cacheWriteTokens: 20, microUsd: 400 };
  const text = callPage({ ...call, insteadOf: 'claude-sonnet-5-5', usage: { ...usage, savedMicroUsd: 100 } });

  expect(text.split('\n')[0]).toBe(
    'Call 2: chat gpt-6-sol (in place of claude-sonnet-5-5, 1.5s, 100 tokens, 60 of them read from a cache, 20 written to it, $0.0004, $0.0001 saved by caches)',
  );
});

it('shows short params on one line, and long ones indented on lines of their own', () => {
  const paramsOf = (params: Record<string, unknown>) => {
    const request = { provider: 'scripted', model: 'm', params, tools: [], messages: [] };
    return callPage({ ...call, isRecorded: true, request })
      .split('\n')
      .slice(2);
  };

  expect(paramsOf({ temperature: 0.2 })).toEqual(['  Params: {"temperature":0.2}']);
  expect(paramsOf({ stop: ['a'.repeat(40), 'b'.repeat(40)] })).toEqual([
    '  Params:',
    '    {',
    '      "stop": [',
    `        "${'a'.repeat(40)}",`,
    `        "${'b'.repeat(40)}"`,
    '      ]',
    '    }',
  ]);
});
