import type { Answer, End } from '../reply.ts';
import { parsedArguments } from '../reply.ts';
import type { Json, Segment } from '../turn.ts';
import { contentText, isObject, objectOf, objectsOf, textOf } from '../turn.ts';
import type { Dialect, StreamEvent } from './dialect.ts';
import { pieces } from './dialect.ts';
import { roundsOf } from './openai-chat.ts';

const stopReasons: Readonly<Record<End, string>> = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  context: 'model_context_window_exceeded',
  filter: 'refusal',
  refusal: 'refusal',
  malformed: 'end_turn',
  paused: 'pause_turn',
};

/** Messages of Anthropic. */
export const anthropicMessages: Dialect = {
  read(body) {
    const messages = objectsOf(body['messages']);
    const tools = objectsOf(body['tools']).filter((tool) => 'input_schema' in tool);
    const choice = objectOf(body['tool_choice']);
    const format = objectOf(objectOf(body['output_config'])['format']);
    const limit = body['max_tokens'];
    const system = contentText(body['system']);
    return {
      tools: tools.map(({ name, input_schema }) => ({ name: textOf(name), schema: input_schema })),
      ...(choice['type'] === 'any' && { forced: true as const }),
      ...(choice['type'] === 'tool' && { forced: textOf(choice['name']) }),
      ...(format['type'] === 'json_schema' && { schema: format['schema'] }),
      ...(typeof limit === 'number' && { limit }),
      segments: segmentsOf(body),
      messages: [
        ...(system === '' ? [] : [{ role: 'system', text: system }]),
        ...messages.map(({ role, content }) => ({ role: textOf(role), text: contentText(content) })),
      ],
      rounds: roundsOf(
        messages,
        ({ role, content }) => role === 'user' && !blocksOf(content).some(({ type }) => type === 'tool_result'),
        ({ content }) => blocksOf(content).some(({ type }) => type === 'tool_use'),
      ),
      tier: 'standard',
      thinks: objectOf(body['thinking'])['type'] !== 'disabled',
      showsThoughts: objectOf(body['thinking'])['type'] === 'enabled',
    };
  },

  whole(answer) {
    const blocks: Json[] = [
      ...(answer.signature === undefined
        ? []
        : [{ type: 'thinking', thinking: answer.thoughts, signature: answer.signature }]),
      ...searchBlocks(answer),
      ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
      ...answer.calls.map(({ id, name, arguments: written }) => ({
        type: 'tool_use',
        id,
        name,
        input: parsedArguments(written),
      })),
    ];
    return { ...head(answer), content: blocks, stop_reason: stopReasons[answer.end], usage: usageOf(answer) };
  },

  events(answer) {
    const usage = usageOf(answer);
    const blocks: { start: Json; deltas: Json[] }[] = [
      ...(answer.signature === undefined
        ? []
        : [
            {
              start: { type: 'thinking', thinking: '', signature: '' },
              deltas: [
                ...pieces(answer.thoughts).map((thinking) => ({ type: 'thinking_delta', thinking })),
                { type: 'signature_delta', signature: answer.signature },
              ],
            },
          ]),
      ...searchBlocks(answer).map((start) => ({ start, deltas: [] })),
      ...(answer.text === ''
        ? []
        : [
            {
              start: { type: 'text', text: '' },
              deltas: pieces(answer.text).map((text) => ({ type: 'text_delta', text })),
            },
          ]),
      ...answer.calls.map(({ id, name, arguments: written }) => ({
        start: { type: 'tool_use', id, name, input: {} },
        deltas: pieces(written).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      })),
    ];
    return [
      named({
        type: 'message_start',
        message: { ...head(answer), content: [], usage: { ...usage, output_tokens: 1 } },
      }),
      ...blocks.flatMap(({ start, deltas }, index) => [
        named({ type: 'content_block_start', index, content_block: start }),
        ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
        named({ type: 'content_block_stop', index }),
      ]),
      named({
        type: 'message_delta',
        delta: { stop_reason: stopReasons[answer.end], stop_sequence: null },
        usage,
      }),
      named({ type: 'message_stop' }),
    ];
  },
};

/** Returns a content as blocks. */
export const blocksOf = (content: unknown): readonly Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);

/** Returns the prompt in the order of the vendor's cache: tools, system, messages; each block may end a prefix. */
function segmentsOf(body: Json): Segment[] {
  const segmentOf = (block: Json, role = ''): Segment => {
    const { cache_control: mark, ...rest } = block;
    const keep = isObject(mark) ? (mark['ttl'] === '1h' ? ('long' as const) : ('short' as const)) : undefined;
    return { text: role + JSON.stringify(rest), ...(keep && { keep }) };
  };
  const segments = [
    ...objectsOf(body['tools']).map((tool) => segmentOf(tool)),
    ...(body['system'] == null ? [] : blocksOf(body['system']).map((block) => segmentOf(block))),
    ...objectsOf(body['messages']).flatMap(({ role, content }) =>
      blocksOf(content).map((block) => segmentOf(block, textOf(role))),
    ),
  ];
  const last = segments.at(-1);
  if (isObject(body['cache_control']) && last !== undefined)
    segments[segments.length - 1] = { ...segmentOf({ cache_control: body['cache_control'] }), text: last.text };
  return segments;
}

const named = (data: Json): StreamEvent => ({ event: textOf(data['type']), data });

const head = ({ id, model }: Answer): Json => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: null,
  stop_sequence: null,
});

const searchBlocks = ({ id, usage }: Answer): Json[] =>
  Array.from({ length: usage.searches }, (_none, at) => [
    { type: 'server_tool_use', id: `srvtoolu_${id}_${at}`, name: 'web_search', input: { query: 'news' } },
    { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${id}_${at}`, content: [] },
  ]).flat();

function usageOf({ usage }: Answer): Json {
  return {
    input_tokens: usage.input - usage.read - usage.write,
    cache_read_input_tokens: usage.read,
    cache_creation_input_tokens: usage.write,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.write - usage.writeLong,
      ephemeral_1h_input_tokens: usage.writeLong,
    },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: usage.searches === 0 ? null : { web_search_requests: usage.searches, web_fetch_requests: 0 },
    service_tier: usage.tier === 'fast' ? 'standard' : usage.tier,
    speed: usage.tier === 'fast' ? 'fast' : 'standard',
    inference_geo: usage.region ?? null,
  };
}
