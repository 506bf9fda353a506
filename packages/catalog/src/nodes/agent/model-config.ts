import type { ConfigProblem, FallbackModel, FallbackReason, NodeModel } from '@millrace/core';
import { singleLine } from '@millrace/core';
import { z } from 'zod';
import { addressProblems } from '../../model-calls/address.ts';
import { scriptProblems } from '../../providers/script.ts';
import { sdkProblems } from '../../providers/sdk.ts';

const reasons = ['unavailable', 'quota', 'missing', 'refusal', 'context'] as const satisfies readonly FallbackReason[];
const reasonError = `Write one of ${reasons.join(', ')}.`;

/** Fields that name a model and say how it is asked, of an agent and of the models in its place. */
export const modelFields = {
  provider: required('Write the provider, such as `provider: openai`.').describe(
    'Provider of the model: openai for every server with its API, gemini, anthropic, or scripted.',
  ),
  name: required('Write the name of the model, such as `name: gpt-6-sol`.').describe(
    'Name of the model at its provider.',
  ),
  base_url: z
    .string({ error: 'Write a URL.' })
    .regex(singleLine)
    .nullish()
    .describe('URL of the API; that of the provider if omitted, for openai OPENAI_BASE_URL of the worker.'),
  api_key: z
    .string({ error: 'Write a text, best a variable such as `api_key: ${API_KEY}`.' })
    .regex(singleLine)
    .nullish()
    .describe('API key; OPENAI_API_KEY, GEMINI_API_KEY or ANTHROPIC_API_KEY of the worker if omitted.'),
};

function required(error: string) {
  return z.string({ error }).trim().min(1, { error }).regex(singleLine);
}

const paramsError = 'Write a mapping, such as `temperature: 0.2`.';

/** Models that are asked one after the other when a model gives no answer: `fallback` of agents and controllers. */
export const FallbackConfig = z
  .array(
    z
      .object({
        ...modelFields,
        params: z
          .record(z.string(), z.unknown(), { error: paramsError })
          .nullish()
          .describe('Its parameters; of those of the agent, only timeout, stream and max_tokens hold for it, too.'),
        when: z
          .array(z.enum(reasons, { error: reasonError }), { error: 'Write a list, such as `[unavailable, refusal]`.' })
          .min(1, { error: reasonError })
          .default(['unavailable', 'quota', 'missing'])
          .describe(
            'Reasons for which it is asked. unavailable: the model before it cannot be reached or fails; quota: its quota or rate limit is used up; missing: it does not exist; refusal: it refuses to answer; context: the conversation is too long for it.',
          ),
      })
      .describe('A model.'),
    { error: 'Write a list of models, each with `provider` and `name`.' },
  )
  .max(10, { error: 'Write at most 10 models.' })
  .nullish()
  .describe(
    'Models that are asked one after the other when a model gives no answer after all retries. The rest of the activation stays with the one that answers.',
  );
/** A parsed `fallback`. */
export type FallbackConfig = z.infer<typeof FallbackConfig>;

type Params = Readonly<Record<string, unknown>>;

/** Params of an agent that hold for every model it asks: they limit a call, and mean the same for all providers. */
const sharedParams: ReadonlySet<string> = new Set(['timeout', 'stream', 'max_tokens', 'max_output_tokens']);

/** Returns the params of a model that is asked in the place of one with these params. */
function paramsFor(written: Params | null | undefined, ofAgent: Params | null | undefined): Params {
  const shared = Object.entries(ofAgent ?? {}).filter(([name]) => sharedParams.has(name));
  return { ...Object.fromEntries(shared), ...written };
}

/** Returns the models of a `fallback` as requests name them; no field if there are none. */
export function fallbackOf({ fallback, params: ofNode }: Pick<AskingConfig, 'fallback' | 'params'>): {
  readonly fallback?: readonly FallbackModel[];
} {
  if (fallback == null || fallback.length === 0) return {};
  return {
    fallback: fallback.map(({ provider, name, base_url, api_key, params, when }) => ({
      provider,
      model: name,
      ...(base_url ? { baseUrl: base_url } : {}),
      ...(api_key ? { apiKey: api_key } : {}),
      params: paramsFor(params, ofNode),
      when,
    })),
  };
}

/** Fields of a configuration that name its models. */
type AskingConfig = z.infer<z.ZodObject<typeof modelFields>> & {
  readonly params?: Params | null | undefined;
  readonly fallback?: FallbackConfig;
};

/** Returns the models that a node asks, for checks. */
export function modelsOf(config: AskingConfig, facts: Pick<NodeModel, 'decides'> = {}): readonly NodeModel[] {
  const modelAt = (
    { provider, name, base_url, params }: Omit<AskingConfig, 'fallback'>,
    path: NodeModel['path'],
  ): NodeModel => ({
    ...facts,
    provider,
    model: name,
    baseUrl: base_url ?? undefined,
    params: params ?? {},
    path,
  });
  return [modelAt(config, []), ...(config.fallback ?? []).map((model, at) => modelAt(model, ['fallback', at]))];
}

/** Returns what is wrong with the models of a node. */
export function modelProblems(config: AskingConfig): readonly ConfigProblem[] {
  return [
    ...problemsOf(config),
    ...(config.fallback ?? []).flatMap((model, at) =>
      problemsOf(model).map((problem) => ({ ...problem, path: ['fallback', at, ...problem.path] })),
    ),
  ];
}

function problemsOf({ provider, base_url, params }: Omit<AskingConfig, 'fallback'>): readonly ConfigProblem[] {
  const script = provider === 'scripted' ? scriptProblems(params ?? {}) : [];
  return [
    ...script.map(({ path, message }) => ({
      code: 'E_FIELD_INVALID',
      severity: 'error' as const,
      path: ['params', ...path],
      message,
    })),
    ...addressProblems(base_url, ['base_url']),
    ...sdkProblems(provider),
  ];
}
