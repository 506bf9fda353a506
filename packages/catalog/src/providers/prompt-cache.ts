import type { ChatRequest, ModelProfile, PromptReuse } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import type { SplitParams } from './neutral-params.ts';

/*
 * How a provider is asked to keep a prompt. A provider that charges what it keeps is asked to keep only what later requests
 * repeat: a write that nobody reads costs more than none.
 */

/** What is sent about the cache of a provider. */
export type PromptCache =
  | {
      readonly type: 'anthropic';
      /** A breakpoint after the tools and the system prompt. */
      readonly start: boolean;
      /** A breakpoint at the end, which moves along with the conversation. */
      readonly end: boolean;
      readonly long: boolean;
    }
  | {
      readonly type: 'openai';
      readonly start: boolean;
      /** The provider sets no breakpoint of its own at the end. */
      readonly explicit: boolean;
      readonly key?: string;
    };

/** Parts of it that a server may refuse. */
export type CacheAddition = 'cache_control' | 'cache_options' | 'cache_breakpoint' | 'cache_key';

/** A request, with what decides on its cache. */
interface CacheInput {
  readonly request: ChatRequest;
  readonly params: Pick<SplitParams, 'written' | 'tools'>;
  readonly profile: ModelProfile;
  readonly key: string | undefined;
  readonly refused: ReadonlySet<string>;
}

/** What is sent, and the parts of it that a server may refuse. */
interface CacheDecision {
  readonly cache?: PromptCache;
  readonly own: readonly CacheAddition[];
}

const nothing: CacheDecision = { own: [] };

/** Decides what is sent about the cache: nothing, where the author writes it or the model is not known to have one. */
export function promptCacheFor(input: CacheInput): CacheDecision {
  const { request, params, profile } = input;
  const { reuse } = request;
  const kind = cacheKindOf(request, profile);
  if (reuse === undefined || kind === undefined || isWritten(params)) return nothing;
  return kind === 'anthropic' ? anthropicCache(reuse, input) : openaiCache(reuse, input);
}

function anthropicCache({ whole, start, long }: PromptReuse, { refused }: CacheInput): CacheDecision {
  if ((!whole && !start) || refused.has('cache_control')) return nothing;
  return { cache: { type: 'anthropic', start, end: whole, long: long === true }, own: ['cache_control'] };
}

function openaiCache(reuse: PromptReuse, { key, refused }: CacheInput): CacheDecision {
  const start = reuse.start && !refused.has('cache_breakpoint');
  const isKept = reuse.whole || reuse.start;
  const explicit = !reuse.whole && start === reuse.start && !refused.has('cache_options');
  const named = isKept && !refused.has('cache_key') ? omitUndefined({ key }) : {};
  return {
    cache: { type: 'openai', start, explicit, ...named },
    own: [
      ...(start ? ['cache_breakpoint' as const] : []),
      ...(explicit ? ['cache_options' as const] : []),
      ...('key' in named ? ['cache_key' as const] : []),
    ],
  };
}

/**
 * Returns the API by which prompts of a model are kept; undefined if it is not known to have one. The name of a model says
 * nothing about the server of somebody else, which could refuse the request; the author may know more.
 */
function cacheKindOf({ provider, reuse }: ChatRequest, { cache, host }: ModelProfile): PromptCache['type'] | undefined {
  if (provider === 'anthropic' && cache === 'anthropic')
    return host === 'anthropic' || reuse?.written ? 'anthropic' : undefined;
  return provider === 'openai' && cache === 'openai_options' && host === 'openai' ? 'openai' : undefined;
}

/** Returns whether an author says in the params what is kept. */
const isWritten = ({ written, tools }: CacheInput['params']): boolean =>
  /"(cache_control|prompt_cache_\w+)":/.test(JSON.stringify([written, tools]));

/**
 * Returns the longest time for which a request without params of its author may have its prompt kept at a price of its own.
 */
export function keptBy(request: ChatRequest, profile: ModelProfile): 'none' | 'short' | 'long' {
  const { reuse } = request;
  if (reuse === undefined || cacheKindOf(request, profile) !== 'anthropic' || (!reuse.whole && !reuse.start))
    return 'none';
  return reuse.long === true ? 'long' : 'short';
}
