import type { ModelRules } from '../bill/models.ts';
import { blocksOf } from '../dialects/anthropic-messages.ts';
import type { Issued } from '../issued.ts';
import type { Json, Turn } from '../turn.ts';
import { isObject, objectOf, objectsOf, textOf } from '../turn.ts';
import type { FieldProblem, Fields } from './fields.ts';
import { fieldProblem } from './fields.ts';
import type { Refusal } from './refusal.ts';
import { firstRefusal, invalid } from './refusal.ts';
import { schemaFlaw, schemaRules } from './schema-rules.ts';

const fields: Fields = {
  model: 'string',
  messages: 'array',
  max_tokens: 'integer',
  cache_control: 'object',
  container: 'string|object',
  diagnostics: 'object',
  inference_geo: 'string',
  metadata: 'object',
  output_config: 'object',
  service_tier: ['auto', 'standard_only'],
  speed: ['standard', 'fast'],
  stop_sequences: 'array',
  stream: 'boolean',
  system: 'string|array',
  temperature: 'number',
  thinking: 'object',
  tool_choice: 'object',
  tools: 'array',
  top_k: 'integer',
  top_p: 'number',
};
const blockFields: Readonly<Record<string, Fields>> = {
  text: { type: 'string', text: 'string', cache_control: 'object', citations: 'array' },
  image: { type: 'string', source: 'object', cache_control: 'object' },
  document: {
    type: 'string',
    source: 'object',
    cache_control: 'object',
    title: 'string',
    context: 'string',
    citations: 'object',
  },
  tool_use: {
    type: 'string',
    id: 'string',
    name: 'string',
    input: 'object',
    cache_control: 'object',
    caller: 'object',
  },
  tool_result: {
    type: 'string',
    tool_use_id: 'string',
    content: 'string|array',
    is_error: 'boolean',
    cache_control: 'object',
  },
  thinking: { type: 'string', thinking: 'string', signature: 'string' },
  redacted_thinking: { type: 'string', data: 'string' },
  server_tool_use: { type: 'string', id: 'string', name: 'string', input: 'object', caller: 'object' },
  web_search_tool_result: { type: 'string', tool_use_id: 'string', content: 'any', caller: 'object' },
};

/** Returns the refusal of Anthropic for a request that its API does not accept. */
export function anthropicRefusal(turn: Turn, rules: ModelRules, issued: Issued): Refusal | undefined {
  const { body, model } = turn;
  if (rules.gone) return { refuse: 404, message: `model: ${model}` };
  return firstRefusal(
    () => worded(fieldProblem(body, fields)),
    () =>
      ['model', 'max_tokens', 'messages']
        .map((name) => body[name] === undefined && invalid(`${name}: Field required`))
        .find(Boolean),
    () => limitRefusal(turn, rules),
    () => samplingRefusal(body, rules),
    () => thinkingRefusal(body, rules),
    () => toolRefusal(turn, rules),
    () => formRefusal(turn, rules),
    () => cacheRefusal(turn),
    () => messagesRefusal(turn, rules, issued),
  );
}

function worded(problem: FieldProblem | undefined, place = ''): Refusal | undefined {
  if (problem === undefined) return undefined;
  const name = place + problem.name;
  switch (problem.type) {
    case 'unknown':
      return invalid(`${name}: Extra inputs are not permitted`);
    case 'word':
      return invalid(`${name}: Input should be ${problem.words.map((word) => `'${word}'`).join(' or ')}`);
    case 'wrong':
      return invalid(
        `${name}: Input should be a valid ${problem.expected.replace('|', ' or ').replace('object', 'dictionary')}`,
      );
  }
}

function limitRefusal({ body, model }: Turn, { output }: ModelRules): Refusal | undefined {
  const limit = Number(body['max_tokens']);
  if (limit < 1) return invalid('max_tokens: Input should be greater than or equal to 1');
  if (limit > output)
    return invalid(
      `max_tokens: ${limit} > ${output}, which is the maximum allowed number of output tokens for ${model}`,
    );
  return undefined;
}

function samplingRefusal(body: Json, { sampling }: ModelRules): Refusal | undefined {
  const { temperature, top_p: topP } = body;
  const refused = ['temperature', 'top_p', 'top_k'].find((name) => body[name] != null && body[name] !== 1);
  if (sampling === 'no' && refused !== undefined) return invalid(`\`${refused}\` is deprecated for this model.`);
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 1))
    return invalid(`temperature: range: 0..1`);
  if (temperature != null && topP != null)
    return invalid('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  return undefined;
}

function thinkingRefusal(body: Json, rules: ModelRules): Refusal | undefined {
  const thinking = objectOf(body['thinking']);
  const effort = objectOf(body['output_config'])['effort'];
  const problem = fieldProblem(objectOf(body['output_config']), { effort: rules.effort, format: 'object' });
  if (problem !== undefined) return worded(problem, 'output_config.');
  switch (thinking['type']) {
    case undefined:
      return undefined;
    case 'adaptive':
      return rules.effort.length === 0 ? invalid('adaptive thinking is not supported on this model') : undefined;
    case 'disabled':
      return lessThought('disabled', rules.thinking.disabled, effort);
    case 'between_tools':
      return lessThought('between_tools', rules.thinking.default && !rules.thinking.disabled, effort);
    case 'enabled':
      return budgetRefusal(body, Number(thinking['budget_tokens'] ?? 0), rules);
    default:
      return invalid(
        `thinking: Input tag '${textOf(thinking['type'])}' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'`,
      );
  }
}

function lessThought(type: string, accepted: boolean, effort: unknown): Refusal | undefined {
  if (!accepted) return invalid(`"thinking.type.${type}" is not supported for this model.`);
  return effort === 'xhigh' || effort === 'max'
    ? invalid(`"thinking.type.${type}" is not supported with effort "${effort}" for this model.`)
    : undefined;
}

function budgetRefusal(body: Json, budget: number, rules: ModelRules): Refusal | undefined {
  if (!rules.thinking.budget)
    return invalid(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  if (budget < 1024) return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (budget >= Number(body['max_tokens']))
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  return body['temperature'] != null && body['temperature'] !== 1
    ? invalid('`temperature` may only be set to 1 when thinking is enabled.')
    : undefined;
}

function toolRefusal({ body, tools, forced }: Turn, rules: ModelRules): Refusal | undefined {
  const at = tools.findIndex(({ name }) => !/^[\w-]{1,128}$/.test(name));
  if (at >= 0) return invalid(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (new Set(tools.map(({ name }) => name)).size < tools.length) return invalid('tools: Tool names must be unique.');
  const choice = body['tool_choice'];
  if (!isObject(choice)) return undefined;
  if (objectsOf(body['tools']).length === 0)
    return invalid('tool_choice: `tool_choice` may only be specified while providing `tools`.');
  const problem = fieldProblem(choice, {
    type: ['auto', 'any', 'tool', 'none'],
    name: 'string',
    disable_parallel_tool_use: 'boolean',
  });
  if (problem !== undefined) return worded(problem, 'tool_choice.');
  if (forced === undefined) return undefined;
  if (!rules.forcedChoice)
    return invalid(`tool_choice: "${textOf(choice['type'])}" is not supported for this model. Use "auto" or "none".`);
  if (objectOf(body['thinking'])['type'] === 'enabled')
    return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  if (forced !== true && !tools.some(({ name }) => name === forced))
    return invalid(`tool_choice.name: Tool '${forced}' not found in provided tools`);
  return undefined;
}

/** Returns the refusal of a form of the answer. */
function formRefusal({ body, model }: Turn, { structured }: ModelRules): Refusal | undefined {
  const format = objectOf(body['output_config'])['format'];
  if (format === undefined) return undefined;
  if (structured === 'no')
    return invalid(`output_config.format: structured outputs are not supported on the model ${model}`);
  const problem = fieldProblem(objectOf(format), { type: ['json_schema'], schema: 'object' });
  if (problem !== undefined) return worded(problem, 'output_config.format.');
  const flaw = schemaFlaw(objectOf(format)['schema'], schemaRules.anthropic);
  return flaw && invalid(`output_config.format.schema.${flaw.context.join('.')}: ${flaw.text}`);
}

function cacheRefusal({ segments }: Turn): Refusal | undefined {
  const marks = segments.flatMap(({ keep }) => (keep === undefined ? [] : [keep]));
  if (marks.length > 4)
    return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
  if (marks.lastIndexOf('long') > marks.indexOf('short') && marks.includes('short'))
    return invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.");
  return undefined;
}

function messagesRefusal(turn: Turn, rules: ModelRules, issued: Issued): Refusal | undefined {
  const messages = objectsOf(turn.body['messages']);
  if (messages.length === 0) return invalid('messages: at least one message is required');
  for (const [at, message] of messages.entries()) {
    const refusal = firstRefusal(
      () => worded(fieldProblem(message, { role: ['user', 'assistant'], content: 'string|array' }), `messages.${at}.`),
      () => blocksRefusal(message, at, messages[at - 1]),
      () => openCallRefusal(messages, at),
      () => thoughtRefusal(turn, messages, at, issued),
    );
    if (refusal !== undefined) return refusal;
  }
  const last = messages.at(-1);
  if (last?.['role'] !== 'assistant') return undefined;
  if (!rules.prefill)
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  return /\s$/.test(textOf(blocksOf(last['content']).at(-1)?.['text']))
    ? invalid('messages: final assistant content cannot end with trailing whitespace')
    : undefined;
}

function blocksRefusal({ content }: Json, at: number, before: Json | undefined): Refusal | undefined {
  const blocks = blocksOf(content);
  if (blocks.length === 0)
    return invalid(
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  for (const [place, block] of blocks.entries()) {
    const type = textOf(block['type']);
    const known = blockFields[type];
    if (known === undefined)
      return invalid(
        `messages.${at}.content.${place}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
      );
    const problem = worded(fieldProblem(block, known), `messages.${at}.content.${place}.${type}.`);
    if (problem !== undefined) return problem;
    if (type === 'text' && textOf(block['text']) === '')
      return invalid('messages: text content blocks must be non-empty');
    if (type === 'text' && textOf(block['text']).trim() === '')
      return invalid('messages: text content blocks must contain non-whitespace text');
    const id = textOf(block['tool_use_id']);
    if (type === 'tool_result' && !callsOf(before).includes(id))
      return invalid(
        `messages.${at}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
  }
  return undefined;
}

const callsOf = (message: Json | undefined): string[] =>
  blocksOf(message?.['content'])
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => textOf(id));

function openCallRefusal(messages: readonly Json[], at: number): Refusal | undefined {
  const answered = blocksOf(messages[at + 1]?.['content']).map(({ tool_use_id: id }) => textOf(id));
  const open = callsOf(messages[at]).filter((id) => !answered.includes(id));
  return open.length === 0
    ? undefined
    : invalid(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
}

/** Thoughts that led to a call come back unchanged before it, until the user speaks again. */
function thoughtRefusal(
  { key, thinks, vendor }: Turn,
  messages: readonly Json[],
  at: number,
  issued: Issued,
): Refusal | undefined {
  const blocks = blocksOf(messages[at]?.['content']);
  const signatures = blocks.filter(({ type }) => type === 'thinking').map(({ signature }) => textOf(signature));
  const forged = signatures.findIndex((signature) => !issued.isOf(signature, key));
  if (forged >= 0) return invalid(`messages.${at}.content.${forged}: Invalid \`signature\` in \`thinking\` block`);
  const lastText = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !blocksOf(content).some(({ type }) => type === 'tool_result'),
  );
  if (!thinks || at < lastText) return undefined;
  const dropped = callsOf(messages[at]).find((id) => {
    const signature = issued.signatureOf(id, vendor);
    return signature !== undefined && !signatures.includes(signature);
  });
  return dropped === undefined
    ? undefined
    : invalid(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${textOf(blocks[0]?.['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      );
}
