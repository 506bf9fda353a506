import type { Answer } from '../reply.ts';
import type { Json, Turn } from '../turn.ts';
import { contentText, objectOf, objectsOf, textOf } from '../turn.ts';
import type { Dialect, StreamEvent } from './dialect.ts';
import { pieces } from './dialect.ts';
import { openaiSegments, openaiTier, roundsOf } from './openai-chat.ts';

const incomplete: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  context: 'max_output_tokens',
  filter: 'content_filter',
};

/** Responses of OpenAI. */
export const openaiResponses: Dialect = {
  read(body) {
    const items = itemsOf(body);
    const tools = objectsOf(body['tools']).filter(({ type }) => type === 'function');
    const choice = body['tool_choice'];
    const named = textOf(objectOf(choice)['name']);
    const format = objectOf(objectOf(body['text'])['format']);
    const limit = body['max_output_tokens'];
    const said = items.filter((item) => 'role' in item);
    return {
      tools: tools.map(({ name, parameters }) => ({ name: textOf(name), schema: parameters })),
      ...(choice === 'required' && { forced: true as const }),
      ...(named !== '' && { forced: named }),
      ...(format['type'] === 'json_schema' && { schema: format['schema'] }),
      ...(format['type'] === 'json_object' && { schema: {} }),
      ...(typeof limit === 'number' && { limit }),
      segments: openaiSegments(body, body['tools'], items),
      messages: said.map(({ role, content }) => ({ role: textOf(role), text: contentText(content) })),
      rounds: roundsOf(
        items,
        (item) => item['role'] === 'user',
        (item) => item['type'] === 'function_call',
      ),
      tier: openaiTier(body),
      thinks: objectOf(body['reasoning'])['effort'] !== 'none',
      showsThoughts: 'summary' in objectOf(body['reasoning']),
      cacheKey: textOf(body['prompt_cache_key']),
    };
  },

  whole: (answer, turn) => responseOf(answer, turn, outputOf(answer, turn)),

  events(answer, turn) {
    const output = outputOf(answer, turn);
    const started = { ...responseOf(answer, turn, []), status: 'in_progress', usage: null, incomplete_details: null };
    const whole = responseOf(answer, turn, output);
    const end = whole['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
    return numbered([
      { type: 'response.created', response: started },
      { type: 'response.in_progress', response: started },
      ...output.flatMap((item, at) => itemEvents(item, at)),
      { type: end, response: whole },
    ]);
  },
};

/** Returns the items of the input, with the instructions before them. */
export function itemsOf({ input, instructions }: Json): readonly Json[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
  return typeof instructions === 'string' ? [{ role: 'system', content: instructions }, ...items] : items;
}

const numbered = (events: readonly Json[]): StreamEvent[] =>
  events.map((data, at) => ({ event: textOf(data['type']), data: { ...data, sequence_number: at } }));

function outputOf(answer: Answer, { body }: Turn): Json[] {
  const encrypted = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content');
  const part: Json =
    answer.end === 'refusal'
      ? { type: 'refusal', refusal: answer.text === '' ? "I'm sorry, I can't help with that." : answer.text }
      : { type: 'output_text', text: answer.text, annotations: [], logprobs: [] };
  const status = answer.end in incomplete ? 'incomplete' : 'completed';
  return [
    ...(answer.usage.reasoning > 0
      ? [
          {
            id: `rs_${answer.id}`,
            type: 'reasoning',
            summary: answer.thoughts === '' ? [] : [{ type: 'summary_text', text: answer.thoughts }],
            ...(encrypted && { encrypted_content: `enc_${answer.id}` }),
          },
        ]
      : []),
    ...Array.from({ length: answer.usage.searches }, (_none, at) => ({
      id: `ws_${answer.id}_${at}`,
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'news' },
    })),
    ...(answer.text !== '' || answer.calls.length === 0
      ? [{ id: `msg_${answer.id}`, type: 'message', role: 'assistant', status, content: [part] }]
      : []),
    ...answer.calls.map(({ id, name, arguments: written }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: written,
      status,
    })),
  ];
}

function itemEvents(item: Json, at: number): Json[] {
  const place = { output_index: at, item_id: item['id'] };
  const added = { type: 'response.output_item.added', output_index: at, item: { ...item, status: 'in_progress' } };
  const done = { type: 'response.output_item.done', output_index: at, item };
  if (item['type'] === 'function_call') {
    const written = textOf(item['arguments']);
    return [
      { ...added, item: { ...item, arguments: '', status: 'in_progress' } },
      ...pieces(written).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      { type: 'response.function_call_arguments.done', ...place, arguments: written },
      done,
    ];
  }
  if (item['type'] !== 'message') return [added, done];
  const [part = {}] = objectsOf(item['content']);
  const spot = { ...place, content_index: 0 };
  const isText = part['type'] === 'output_text';
  const text = textOf(isText ? part['text'] : part['refusal']);
  const kind = isText ? 'response.output_text' : 'response.refusal';
  return [
    { ...added, item: { ...item, content: [], status: 'in_progress' } },
    { type: 'response.content_part.added', ...spot, part: isText ? { ...part, text: '' } : { ...part, refusal: '' } },
    ...pieces(text).map((delta) => ({ type: `${kind}.delta`, ...spot, delta })),
    { type: `${kind}.done`, ...spot, ...(isText ? { text } : { refusal: text }) },
    { type: 'response.content_part.done', ...spot, part },
    done,
  ];
}

function responseOf({ id, model, end, usage }: Answer, { body }: Turn, output: readonly Json[]): Json {
  const reason = incomplete[end];
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1_795_000_000,
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    store: body['store'] ?? true,
    service_tier: usage.tier,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: {
        cached_tokens: usage.read,
        cache_write_tokens: usage.write,
        ...(usage.write > 0 && {
          cache_write_tokens_details: {
            ttl_30m_tokens: usage.write - usage.writeLong,
            ttl_12h_tokens: usage.writeLong,
          },
        }),
      },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
}
