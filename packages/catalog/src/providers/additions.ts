import type { ChatRequest, ModelProfile, ProviderCall, ToolChoice } from '@millrace/core';
import type { ReportedError } from '../model-calls/reported-error.ts';
import type { SplitParams } from './neutral-params.ts';
import type { OutputWay } from './output-form.ts';
import { formInstruction, outputWay, submitName } from './output-form.ts';
import type { CacheAddition, PromptCache } from './prompt-cache.ts';
import { promptCacheFor } from './prompt-cache.ts';

/** Names by which servers refuse what Millrace adds to a request. The first addition that an error names is left out. */
const wireNames = {
  native_output: [
    'response_format',
    'text.format',
    'json_schema',
    'output_config.format',
    'responseJsonSchema',
    'response_json_schema',
    'responseMimeType',
    'response mime type',
    'structured output',
    'structured outputs',
  ],
  protocol: ['v1/chat/completions', 'v1/responses', 'responses api'],
  temperature: ['temperature'],
  limit: ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'],
  forced_choice: ['tool_choice', 'toolConfig', 'tool_config', 'functionCallingConfig', 'function_calling_config'],
  tool_choice: ['tool_choice', 'toolConfig', 'tool_config'],
  include: ['include', 'reasoning.encrypted_content', 'encrypted content'],
  store: ['store'],
  tier: ['service_tier', 'serviceTier'],
  cache_control: ['cache_control'],
  cache_options: ['prompt_cache_options'],
  cache_breakpoint: ['prompt_cache_breakpoint'],
  cache_key: ['prompt_cache_key'],
  separate_roles: ['roles must alternate', 'alternate between user and assistant', 'alternating user'],
} as const satisfies Readonly<Record<string, readonly string[]>> & Readonly<Record<CacheAddition, readonly string[]>>;

/** A part of a request that Millrace adds to what the author wrote. */
export type Added = keyof typeof wireNames;

/** What is sent beside the conversation and the params that are sent as written. */
export interface Additions {
  /** The API of OpenAI that is called. */
  readonly protocol: 'chat' | 'responses';
  /** Name of the limit in chat completions. */
  readonly limitName: string;
  /** Limit of the answer in tokens. */
  readonly limit?: unknown;
  readonly temperature?: number;
  readonly toolChoice?: ToolChoice;
  /** Sentences for the model in place of a forced choice of tools, or of a form of its answer. */
  readonly instructions?: readonly string[];
  /** Way in which a form of the answer is asked for. */
  readonly output?: OutputWay;
  /** The provider stores nothing. */
  readonly store?: false;
  /** Reasoning comes encrypted, so that it can be sent back. */
  readonly encrypted?: true;
  readonly tier?: string;
  /** Parts of the prompt that the provider keeps. */
  readonly cache?: PromptCache;
  /** Those of the above that the author did not write. */
  readonly own: ReadonlySet<Added>;
}

/** A request, with what decides on its additions. */
export interface AdditionsInput {
  readonly request: ChatRequest;
  readonly params: SplitParams;
  readonly profile: ModelProfile;
  /** Values that the engine needs. */
  readonly engine: ProviderCall['engine'];
  readonly cacheKey: string | undefined;
  /** Additions that the server has refused for this model. */
  readonly refused: ReadonlySet<Added>;
}

interface Decision {
  readonly sent: Omit<Partial<Additions>, 'own'>;
  readonly own?: readonly Added[];
}

/**
 * Decides what is added to a request: nothing that the author did not write, unless the model is known to accept it or the
 * engine needs it.
 */
export function additionsTo(input: AdditionsInput): Additions {
  const protocol = protocolFor(input);
  const output = outputFor(input);
  const decisions: readonly Decision[] = [
    limitFor(input),
    temperatureFor(input),
    output,
    toolChoiceFor(input, output.sent.output),
    ...(protocol.value === 'responses' ? [storageFor(input)] : []),
    tierFor(input),
    cacheFor(input),
    // Nobody writes that messages of one role follow each other; it is the usual form of a conversation.
    ...(input.params.alternate ? [] : [{ sent: {}, own: ['separate_roles' as const] }]),
  ];
  const sent: Omit<Partial<Additions>, 'own'> = Object.assign({}, ...decisions.map((decision) => decision.sent));
  const instructions = decisions.flatMap((decision) => decision.sent.instructions ?? []);
  return {
    limitName: limitNameFor(input),
    ...sent,
    ...(instructions.length === 0 ? {} : { instructions }),
    protocol: protocol.value,
    own: new Set([...(protocol.own ?? []), ...decisions.flatMap(({ own = [] }) => own)]),
  };
}

/** Returns the addition that the error of a server names, by its status, its param, its text or what it reports. */
export function refusedAddition(error: unknown, { own }: Additions, report?: ReportedError): Added | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = Number(Reflect.get(error, 'status'));
  // A model that lacks an API is "not found" there.
  const candidates = [...own].filter(
    (added) => status === 400 || status === 422 || (status === 404 && added === 'protocol'),
  );
  const param: unknown = Reflect.get(error, 'param');
  const text = `${error.message}\n${report?.message ?? ''}`;
  return candidates.find((added) => wireNames[added].some((name) => param === name || mentions(text, name)));
}

/** Returns whether a text names a field; a name that is an everyday word must be in quotes. */
function mentions(text: string, name: string): boolean {
  const quoted = name.replaceAll(/[.\\/]/g, '\\$&');
  return name === 'store' || name === 'include'
    ? new RegExp(`['"\`]${quoted}['"\`]`).test(text)
    : new RegExp(`(?<![\\w])${quoted}(?![\\w])`, 'i').test(text);
}

/** Params that only chat completions have. */
const chatParams = [
  'response_format',
  'reasoning_effort',
  'max_completion_tokens',
  'modalities',
  'audio',
  'n',
  'stop',
  'seed',
  'logprobs',
  'logit_bias',
  'presence_penalty',
  'frequency_penalty',
  'web_search_options',
];

function protocolFor({ params, profile, refused }: AdditionsInput): {
  readonly value: 'chat' | 'responses';
  readonly own?: readonly Added[];
} {
  if (params.protocol !== undefined) return { value: params.protocol };
  // Other servers have OpenAI's older API.
  if (profile.host !== 'openai' || chatParams.some((name) => params.written[name] != null)) return { value: 'chat' };
  const usual = profile.protocol ?? 'chat';
  const other = usual === 'chat' ? 'responses' : 'chat';
  return { value: refused.has('protocol') ? other : usual, own: ['protocol'] };
}

function limitFor({ params, engine }: AdditionsInput): Decision {
  if (params.limit !== undefined) return { sent: { limit: params.limit } };
  if (engine?.maxTokens === undefined) return { sent: {} };
  return { sent: { limit: engine.maxTokens }, own: ['limit'] };
}

/** A refused limit gets its other name: without a limit, a budget could not be kept. */
function limitNameFor({ profile, refused }: AdditionsInput): string {
  const usual = profile.limit === 'max_completion_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (!refused.has('limit')) return usual;
  return usual === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
}

function temperatureFor({ params, profile, refused }: AdditionsInput): Decision {
  const temperature = profile.usual_temperature;
  // An author who writes null wants none.
  if (temperature === undefined || refused.has('temperature') || 'temperature' in params.written) return { sent: {} };
  return { sent: { temperature }, own: ['temperature'] };
}

/** Returns the way to a form of the answer. One that the author has written in the params goes as written. */
function outputFor({ request, params, profile, refused }: AdditionsInput): Decision {
  const isWritten = ['response_format', 'response_schema', 'response_json_schema', 'responseJsonSchema'].some(
    (name) => params.written[name] != null,
  );
  const output = outputWay(request, profile, {
    native: isWritten || refused.has('native_output'),
    choice: refused.has('forced_choice'),
  });
  switch (output?.type) {
    case undefined:
      return { sent: {} };
    case 'native':
      return { sent: { output }, own: ['native_output'] };
    case 'tool':
      return { sent: { output } };
    case 'json':
      return { sent: { output, instructions: [formInstruction(output.schema)] } };
  }
}

function toolChoiceFor({ request, params, profile, refused }: AdditionsInput, output: OutputWay | undefined): Decision {
  if (params.toolChoice !== undefined) return { sent: { toolChoice: params.toolChoice } };
  const toolChoice = neededChoice(request, output);
  if (toolChoice === undefined || 'tool_choice' in params.written) return { sent: {} };
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  if (isForced && profile.tool_choice === 'forced' && !refused.has('forced_choice'))
    return { sent: { toolChoice }, own: ['forced_choice'] };
  const told = isForced ? instructionFor(toolChoice, output) : output?.type === 'tool' ? submission : undefined;
  const instructions = told === undefined ? {} : { instructions: [told] };
  return refused.has('tool_choice')
    ? { sent: instructions }
    : { sent: { toolChoice: isForced ? 'auto' : toolChoice, ...instructions }, own: ['tool_choice'] };
}

/** Returns the choice that a node needs; undefined without tools. A model that can only submit its answer has to do so. */
function neededChoice({ tools = [], toolChoice }: ChatRequest, output: OutputWay | undefined): ToolChoice | undefined {
  if (tools.length > 0) return toolChoice ?? 'auto';
  return output?.type === 'tool' ? { tool: submitName } : undefined;
}

const submission = `When you have what you need, give your final answer with a call of the tool ${submitName}.`;

function instructionFor(choice: ToolChoice, output: OutputWay | undefined): string {
  if (typeof choice === 'object') return `Answer with a call of the tool ${choice.tool}.`;
  // The form of the answer stands for a call.
  return output === undefined
    ? 'Answer with a call of one of the tools.'
    : 'Answer with a call of one of the tools, or with the same choice as JSON.';
}

function storageFor({ params, profile, refused }: AdditionsInput): Decision {
  const { written } = params;
  if (['store', 'conversation', 'previous_response_id'].some((name) => name in written)) return { sent: {} };
  const store = !refused.has('store');
  const encrypted = profile.echo === 'encrypted' && !refused.has('include');
  return {
    sent: { ...(store ? { store: false } : {}), ...(encrypted ? { encrypted: true } : {}) },
    own: [...(store ? ['store' as const] : []), ...(encrypted ? ['include' as const] : [])],
  };
}

function tierFor({ params, engine, refused }: AdditionsInput): Decision {
  if (params.tier !== undefined) return { sent: { tier: params.tier } };
  if (engine?.tier === undefined || refused.has('tier') || 'service_tier' in params.written) return { sent: {} };
  return { sent: { tier: engine.tier }, own: ['tier'] };
}

function cacheFor({ cacheKey: key, ...input }: AdditionsInput): Decision {
  const { cache, own } = promptCacheFor({ ...input, key });
  return { sent: cache === undefined ? {} : { cache }, own };
}
