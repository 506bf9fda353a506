import type { ModelProfile } from './model-lookup.ts';

/** A param that a model refuses, as far as is known. */
export interface RefusedParam {
  readonly name: string;
  /** Continues after the name of the model, as in "takes no temperature". */
  readonly reason: string;
}

type Params = Readonly<Record<string, unknown>>;

/** Returns the params that a model is known to refuse. Null sends nothing. */
export function refusedParams(profile: ModelProfile, params: Params): readonly RefusedParam[] {
  return [
    ...samplingParams.flatMap((name) => refusedSampling(name, profile, params)),
    ...refusedEffort(profile, params),
    ...refusedChoice(profile, params),
    ...refusedThinking(profile, params),
    ...refusedLimit(profile, params),
  ];
}

const samplingParams = ['temperature', 'top_p'];

function refusedSampling(name: string, { temperature }: ModelProfile, params: Params): readonly RefusedParam[] {
  if (params[name] == null) return [];
  if (temperature === 'no') return [{ name, reason: `takes no ${name}` }];
  if (temperature === 'with_effort_none' && effortOf(params) !== 'none')
    return [{ name, reason: `takes no ${name} while it reasons; \`effort: none\` lets it answer without` }];
  return [];
}

function refusedEffort({ effort: words, thinking }: ModelProfile, { effort }: Params): readonly RefusedParam[] {
  if (typeof effort !== 'string') return [];
  if (thinking === 'none') return [{ name: 'effort', reason: 'does not reason, so it takes no effort' }];
  if (words === undefined || words.includes(effort)) return [];
  return [{ name: 'effort', reason: `knows the efforts ${words.join(', ')}` }];
}

function refusedChoice({ tool_choice: choice }: ModelProfile, params: Params): readonly RefusedParam[] {
  const written = params['tool_choice'];
  const isForced = written === 'required' || (typeof written === 'object' && written !== null && !isFree(written));
  return choice === 'auto' && isForced
    ? [{ name: 'tool_choice', reason: 'does not let requests force a call of a tool' }]
    : [];
}

const isFree = (choice: object): boolean => ['auto', 'none'].includes(String(Reflect.get(choice, 'type')));

function refusedThinking({ thinking }: ModelProfile, params: Params): readonly RefusedParam[] {
  const written = params['thinking'];
  if (typeof written !== 'object' || written === null) return [];
  const name = 'thinking';
  if (Reflect.get(written, 'type') === 'disabled' && thinking === 'always') return [{ name, reason: 'always thinks' }];
  const hasBudget = Reflect.get(written, 'budget_tokens') != null;
  return hasBudget && (thinking === 'always' || thinking === 'adaptive')
    ? [{ name, reason: 'takes no budget of thoughts; write `effort` instead' }]
    : [];
}

function refusedLimit({ output }: ModelProfile, params: Params): readonly RefusedParam[] {
  if (output === undefined) return [];
  return ['max_tokens', 'max_output_tokens', 'max_completion_tokens'].flatMap((name) => {
    const limit = params[name];
    return typeof limit === 'number' && limit > output
      ? [{ name, reason: `answers with at most ${output} tokens` }]
      : [];
  });
}

/** Returns the effort under the names of all APIs. */
function effortOf({ effort, reasoning_effort, reasoning }: Params): unknown {
  const inner: unknown =
    typeof reasoning === 'object' && reasoning !== null ? Reflect.get(reasoning, 'effort') : undefined;
  return effort ?? reasoning_effort ?? inner;
}
