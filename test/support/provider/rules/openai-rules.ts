import type { ModelRules } from '../bill/models.ts';
import type { Issued } from '../issued.ts';
import type { Json, Turn } from '../turn.ts';
import { isObject, objectOf, objectsOf } from '../turn.ts';
import type { Fields } from './fields.ts';
import { fieldProblem } from './fields.ts';
import { itemsRefusal, messagesRefusal } from './openai-conversation-rules.ts';
import { missing, quoted, worded } from './openai-words.ts';
import type { Refusal } from './refusal.ts';
import { firstRefusal, invalid } from './refusal.ts';
import { schemaFlaw, schemaRules } from './schema-rules.ts';

const tiers = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'];
const shared: Fields = {
  model: 'string',
  metadata: 'object',
  moderation: 'object',
  parallel_tool_calls: 'boolean',
  prompt_cache_key: 'string',
  prompt_cache_options: 'object',
  prompt_cache_retention: ['in_memory', '24h'],
  safety_identifier: 'string',
  service_tier: tiers,
  store: 'boolean',
  stream: 'boolean',
  stream_options: 'object',
  temperature: 'number',
  tool_choice: 'string|object',
  tools: 'array',
  top_logprobs: 'integer',
  top_p: 'number',
  user: 'string',
};
const chatFields: Fields = {
  ...shared,
  messages: 'array',
  audio: 'object',
  frequency_penalty: 'number',
  function_call: 'string|object',
  functions: 'array',
  logit_bias: 'object',
  logprobs: 'boolean',
  max_completion_tokens: 'integer',
  max_tokens: 'integer',
  modalities: 'array',
  n: 'integer',
  prediction: 'object',
  presence_penalty: 'number',
  reasoning_effort: 'string',
  response_format: 'object',
  seed: 'integer',
  stop: 'string|array',
  verbosity: ['low', 'medium', 'high'],
  web_search_options: 'object',
};
const responsesFields: Fields = {
  ...shared,
  background: 'boolean',
  context_management: 'array',
  conversation: 'string|object',
  include: 'array',
  input: 'string|array',
  instructions: 'string',
  max_output_tokens: 'integer',
  max_tool_calls: 'integer',
  previous_response_id: 'string',
  prompt: 'object',
  reasoning: 'object',
  text: 'object',
  truncation: ['auto', 'disabled'],
};
/** Parameters of sampling and of scores, which models refuse while they reason. */
const samplingOf: Readonly<Record<'chat' | 'responses', readonly string[]>> = {
  chat: ['stop', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'logit_bias'],
  responses: ['temperature', 'top_p', 'top_logprobs'],
};

const unsupported = (param: string, more = ''): Refusal =>
  invalid(`Unsupported parameter: '${param}' is not supported with this model.${more}`, {
    param,
    code: 'unsupported_parameter',
  });
/** Returns the refusal of OpenAI for a request that its API does not accept. */
export function openaiRefusal(turn: Turn, rules: ModelRules, issued: Issued): Refusal | undefined {
  const { body, model } = turn;
  const isChat = turn.api === 'chat';
  if (model === '') return invalid('you must provide a model parameter');
  if (rules.gone)
    return {
      refuse: 404,
      message: `The model \`${model}\` does not exist or you do not have access to it.`,
      code: 'model_not_found',
    };
  return firstRefusal(
    () => worded(fieldProblem(body, isChat ? chatFields : responsesFields), isChat),
    () => effortRefusal(turn, rules),
    () => samplingRefusal(turn, rules),
    () => limitRefusal(turn, rules),
    () => toolRefusal(turn, rules),
    () => formRefusal(turn),
    () => body['stream_options'] != null && body['stream'] !== true && streamOptions,
    () => cacheRefusal(body, rules, isChat),
    () => (isChat ? messagesRefusal(body) : itemsRefusal(turn, issued)),
  );
}

const streamOptions = invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
  param: 'stream_options',
});

/** Returns the effort that holds for a request. */
const effortOf = ({ api, body }: Turn): string | undefined => {
  const effort = api === 'chat' ? body['reasoning_effort'] : objectOf(body['reasoning'])['effort'];
  return typeof effort === 'string' ? effort : undefined;
};

function effortRefusal(turn: Turn, { effort }: ModelRules): Refusal | undefined {
  const param = turn.api === 'chat' ? 'reasoning_effort' : 'reasoning.effort';
  const asked = effortOf(turn);
  if (asked === undefined || effort.includes(asked)) return undefined;
  if (effort.length === 0) return unsupported(param);
  return invalid(
    `Unsupported value: '${param}' does not support '${asked}' with this model. Supported values are: ${quoted(effort)}.`,
    { param, code: 'unsupported_value' },
  );
}

function samplingRefusal(turn: Turn, rules: ModelRules): Refusal | undefined {
  const { api, body } = turn;
  const effort = effortOf(turn) ?? rules.defaultEffort;
  const temperature = body['temperature'];
  const outside = typeof temperature === 'number' && rangeRefusal(temperature);
  if (outside) return outside;
  if (rules.sampling === 'yes' || (rules.sampling === 'effort none' && effort === 'none')) return undefined;
  if (api === 'chat' && temperature != null && temperature !== 1)
    return invalid(
      `Unsupported value: 'temperature' does not support ${String(temperature)} with this model. Only the default (1) value is supported.`,
      { param: 'temperature', code: 'unsupported_value' },
    );
  const refused = samplingOf[api === 'chat' ? 'chat' : 'responses'].find((param) => body[param] != null);
  return refused === undefined ? undefined : unsupported(refused);
}

function rangeRefusal(temperature: number): Refusal | undefined {
  if (temperature >= 0 && temperature <= 2) return undefined;
  const [where, bound, code] =
    temperature < 0 ? ['below minimum', '>= 0', 'below_min'] : ['above maximum', '<= 2', 'above_max'];
  return invalid(
    `Invalid 'temperature': decimal ${where} value. Expected a value ${bound}, but got ${temperature} instead.`,
    { param: 'temperature', code: `decimal_${code}_value` },
  );
}

function limitRefusal({ api, body }: Turn, rules: ModelRules): Refusal | undefined {
  const { max_tokens: plain, max_completion_tokens: completion } = body;
  if (plain != null && rules.sampling !== 'yes')
    return unsupported('max_tokens', " Use 'max_completion_tokens' instead.");
  if (plain != null && completion != null)
    return invalid("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", {
      code: 'invalid_parameter_combination',
    });
  const [param, least] =
    api === 'responses'
      ? (['max_output_tokens', 16] as const)
      : ([plain == null ? 'max_completion_tokens' : 'max_tokens', 1] as const);
  const limit = body[param];
  if (typeof limit !== 'number') return undefined;
  if (limit < least)
    return invalid(
      `Invalid '${param}': integer below minimum value. Expected a value >= ${least}, but got ${limit} instead.`,
      { param, code: 'integer_below_min_value' },
    );
  if (limit > rules.output)
    return invalid(
      `${param} is too large: ${limit}. This model supports at most ${rules.output} completion tokens, whereas you provided ${limit}.`,
      { param, code: 'invalid_value' },
    );
  return undefined;
}

function toolRefusal(turn: Turn, rules: ModelRules): Refusal | undefined {
  const { api, body, tools, model } = turn;
  const listed = objectsOf(body['tools']);
  if (Array.isArray(body['tools']) && listed.length === 0)
    return invalid(
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      {
        param: 'tools',
        code: 'empty_array',
      },
    );
  if (body['tool_choice'] != null && body['tool_choice'] !== 'none' && listed.length === 0)
    return invalid("'tool_choice' is only allowed when 'tools' are specified.", { param: 'tool_choice' });
  const at = tools.findIndex(({ name }) => !/^[\w-]{1,64}$/.test(name));
  if (at >= 0) {
    const param = `tools[${at}]${api === 'chat' ? '.function' : ''}.name`;
    return invalid(
      `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param, code: 'invalid_value' },
    );
  }
  if (typeof turn.forced === 'string' && !tools.some(({ name }) => name === turn.forced))
    return invalid(`Invalid value for 'tool_choice': '${turn.forced}' is not a tool of the request.`, {
      param: 'tool_choice',
    });
  if (api !== 'chat' || tools.length === 0 || rules.chatTools === 'yes') return undefined;
  const effort = effortOf(turn);
  if (effort === 'none' || (effort === undefined && rules.chatTools === 'without effort')) return undefined;
  return invalid(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
    { param: 'reasoning_effort' },
  );
}

/** Returns the refusal of a form of the answer: a strict schema names all fields of all objects. */
function formRefusal({ api, body }: Turn): Refusal | undefined {
  const isChat = api === 'chat';
  const format = objectOf(isChat ? body['response_format'] : objectOf(body['text'])['format']);
  if (format['type'] !== 'json_schema') return undefined;
  const form = isChat ? objectOf(format['json_schema']) : format;
  const place = isChat ? 'response_format.json_schema' : 'text.format';
  if (typeof form['name'] !== 'string') return missing(`${place}.name`);
  if (!isObject(form['schema'])) return missing(`${place}.schema`);
  const flaw = form['strict'] === true ? schemaFlaw(form['schema'], schemaRules.openai) : undefined;
  if (flaw === undefined) return undefined;
  const context = flaw.context.map((key) => `'${key}'`).join(', ');
  return invalid(
    `Invalid schema for ${isChat ? 'response_format' : 'text.format'} '${form['name']}': In context=(${context}), ${flaw.text}.`,
    { param: isChat ? 'response_format' : 'text.format.schema', code: 'invalid_json_schema' },
  );
}

function cacheRefusal(body: Json, { cache }: ModelRules, isChat: boolean): Refusal | undefined {
  const options = body['prompt_cache_options'];
  if (!isObject(options)) return undefined;
  if (cache.compares !== 'latest') return unsupported('prompt_cache_options');
  const fields: Fields = { mode: ['implicit', 'explicit'], ttl: isChat ? ['30m'] : ['30m', '12h'], prewarm: 'boolean' };
  const problem = fieldProblem(options, fields);
  return worded(problem && { ...problem, name: `prompt_cache_options.${problem.name}` }, false);
}
