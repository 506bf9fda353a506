import type { ToolChoice } from '@millrace/core';
import type { Additions } from '../additions.ts';
import type { SplitParams } from '../neutral-params.ts';
import type { OutputWay } from '../output-form.ts';
import { formName } from '../output-form.ts';
import type { PromptCache } from '../prompt-cache.ts';

/** Params of an agent as OpenAI's Python SDK sends them. */
export interface OpenAIParams {
  readonly headers: Record<string, string>;
  readonly query: Record<string, unknown>;
  /** Returns all params and these ones, without those that are null; tools come after those of the params. */
  bodyWith(own: { readonly tools: readonly unknown[] } & Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/**
 * Reads params as the Python SDK does: all of them go into the body unchanged, except for those that the SDK reads itself
 * (`extra_headers`, `extra_query`, `extra_body`).
 */
export function openaiParams({ tools, written }: SplitParams): OpenAIParams {
  const { extra_headers, extra_query, extra_body, ...rest } = written;
  return {
    headers: Object.fromEntries(Object.entries(record(extra_headers)).map(([name, value]) => [name, String(value)])),
    query: record(extra_query),
    bodyWith({ tools: bound, ...own }) {
      const offered = [...tools, ...bound];
      const sent = { ...own, ...rest, tools: offered.length === 0 ? null : offered };
      return {
        ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
        ...record(extra_body),
      };
    },
  };
}

/** Returns additions that both APIs name alike; `named` is the form in which an API names one tool. */
export const commonAdditions = (
  { temperature, tier, toolChoice, cache }: Additions,
  named: (tool: string) => unknown,
): Record<string, unknown> => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(tier === undefined ? {} : { service_tier: tier }),
  ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice, named) }),
  ...(cache?.type === 'openai' ? cacheParams(cache) : {}),
});

const cacheParams = ({ key, explicit }: Extract<PromptCache, { type: 'openai' }>) => ({
  ...(key === undefined ? {} : { prompt_cache_key: key }),
  ...(explicit ? { prompt_cache_options: { mode: 'explicit' } } : {}),
});

/** The end of a part of a prompt that the provider keeps; both APIs have it. */
const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' as const } };

/** Returns the text of a system prompt, or its only part with a breakpoint after it. */
export const systemContent = <const Type extends string>(type: Type, text: string, { cache }: Additions) =>
  cache?.type === 'openai' && cache.start ? [{ type, text, ...breakpoint }] : text;

/** Returns a form of the answer, which both APIs describe alike. */
export const formParam = ({ schema, isStrict }: Extract<OutputWay, { type: 'native' }>) => ({
  name: formName,
  schema: { ...schema },
  strict: isStrict,
});

const choiceOf = (choice: ToolChoice, named: (tool: string) => unknown): unknown =>
  typeof choice === 'object' ? named(choice.tool) : choice;

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
