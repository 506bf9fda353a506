import { describe, expect, it } from 'vitest';
import { anthropicUsage, chatUsage, geminiUsage, responsesUsage } from './usage.ts';

describe('usage of chat completions', () => {
  it('has all that is billed apart', () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 200,
      prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 250, audio_tokens: 40, image_tokens: 50 },
      completion_tokens_details: { reasoning_tokens: 120, audio_tokens: 10, image_tokens: 20 },
      cost: 0.0000123,
    };
    expect(chatUsage({ model: 'gpt-6-sol-2026-09-01', service_tier: 'flex', usage })).toEqual({
      promptTokens: 1000,
      completionTokens: 200,
      cachedTokens: 300,
      cacheWriteTokens: 250,
      audioPromptTokens: 40,
      imagePromptTokens: 50,
      reasoningTokens: 120,
      audioCompletionTokens: 10,
      imageCompletionTokens: 20,
      tier: 'flex',
      model: 'gpt-6-sol-2026-09-01',
      microUsd: 13,
      rates: 'reported',
    });
  });

  it('leaves out parts that are 0, absent or no numbers of tokens, and the standard tier', () => {
    const usage = {
      prompt_tokens: 4,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 'many', cache_write_tokens: -5 },
      completion_tokens_details: [],
    };
    expect(chatUsage({ service_tier: 'default', model: 7, usage })).toEqual({ promptTokens: 4, completionTokens: 2 });
  });

  it('is absent where the tokens are not whole numbers of 0 or more', () => {
    for (const tokens of [-1, 0.5, '7', null, undefined, 1_000_000_001, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE])
      expect(chatUsage({ usage: { prompt_tokens: tokens, completion_tokens: 1 } })).toBeUndefined();
    expect(chatUsage({ choices: [] })).toBeUndefined();
  });

  it('has no cost that no call comes to', () => {
    for (const cost of [-1, 1_000_001, 1e308, Number.POSITIVE_INFINITY])
      expect(chatUsage({ usage: { prompt_tokens: 4, completion_tokens: 2, cost } })).toEqual({
        promptTokens: 4,
        completionTokens: 2,
      });
  });
});

describe('usage of the Responses API', () => {
  it('has the lifetimes of writes, and counts tools of the provider in the output', () => {
    const usage = {
      input_tokens: 5000,
      output_tokens: 300,
      input_tokens_details: {
        cached_tokens: 1000,
        cache_write_tokens: 2000,
        cache_write_tokens_details: { ttl_12h_tokens: 1500 },
      },
      output_tokens_details: { reasoning_tokens: 100 },
    };
    const output = [
      { type: 'web_search_call', action: { type: 'search' } },
      { type: 'web_search_call', action: { type: 'open_page' } },
      { type: 'web_search_call' },
      { type: 'code_interpreter_call' },
      { type: 'message', content: [] },
    ];
    expect(responsesUsage({ model: 'gpt-6.1-terra', service_tier: 'priority', usage, output })).toEqual({
      promptTokens: 5000,
      completionTokens: 300,
      cachedTokens: 1000,
      cacheWriteTokens: 2000,
      cacheWriteLongTokens: 1500,
      reasoningTokens: 100,
      requests: { web_search: 2, code_interpreter: 1 },
      tier: 'priority',
      model: 'gpt-6.1-terra',
    });
  });
});

describe('usage of Anthropic messages', () => {
  it('adds cached and written tokens to the prompt, and has the lifetimes of writes', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 50,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens_details: { thinking_tokens: 30 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      service_tier: 'priority',
      inference_geo: 'us',
    };
    expect(anthropicUsage({ model: 'claude-sonnet-5-5-20261001', usage })).toEqual({
      promptTokens: 710,
      completionTokens: 50,
      cachedTokens: 400,
      cacheWriteTokens: 300,
      cacheWriteLongTokens: 200,
      reasoningTokens: 30,
      requests: { web_search: 2 },
      tier: 'priority',
      region: 'us',
      model: 'claude-sonnet-5-5-20261001',
    });
  });

  it('names the speed as a tier, and no tier or region where they are the standard ones', () => {
    const usage = { input_tokens: 1, output_tokens: 1, service_tier: 'standard', inference_geo: 'not_available' };
    expect(anthropicUsage({ usage })).toEqual({ promptTokens: 1, completionTokens: 1 });
    expect(anthropicUsage({ usage: { ...usage, speed: 'fast' } })).toMatchObject({ tier: 'fast' });
  });
});

describe('usage of Gemini', () => {
  it('has the results of tools in the prompt, thoughts in the answer, and parts by their kind', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 900,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 80,
      cachedContentTokenCount: 60,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 40 },
        { modality: 'AUDIO', tokenCount: 60 },
      ],
      toolUsePromptTokensDetails: [{ modality: 'AUDIO', tokenCount: 5 }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 12 }],
      trafficType: 'ON_DEMAND_FLEX',
    };
    const candidates = [{ groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] } }];
    const first = { modelVersion: 'gemini-3.5-flash-lite', usageMetadata: { promptTokenCount: 100 } };
    expect(geminiUsage([first, { candidates, usageMetadata }])).toEqual({
      promptTokens: 1000,
      completionTokens: 100,
      cachedTokens: 60,
      audioPromptTokens: 65,
      imageCompletionTokens: 12,
      reasoningTokens: 80,
      requests: { web_search: 3 },
      tier: 'flex',
      model: 'gemini-3.5-flash-lite',
    });
  });

  it('is absent without metadata, and names no tier for usual traffic', () => {
    expect(geminiUsage([{ candidates: [] }])).toBeUndefined();
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, trafficType: 'ON_DEMAND' };
    expect(geminiUsage([{ usageMetadata }])).toEqual({ promptTokens: 1, completionTokens: 1 });
  });
});
