import type { Answer, End } from '../reply.ts';
import type { Json, Segment, Turn } from '../turn.ts';
import { contentText, isObject, objectOf, objectsOf, textOf } from '../turn.ts';
import type { Dialect, StreamEvent } from './dialect.ts';
import { pieces } from './dialect.ts';

const finishReasons: Readonly<Record<End, string>> = {
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  context: 'length',
  filter: 'content_filter',
  refusal: 'stop',
  malformed: 'stop',
  paused: 'stop',
};

/** Chat completions of OpenAI, and of the servers that imitate them. */
export const openaiChat: Dialect = {
  read(body) {
    const messages = objectsOf(body['messages']);
    const functions = objectsOf(body['tools']).flatMap(({ function: tool }) => (isObject(tool) ? [tool] : []));
    const choice = body['tool_choice'];
    const named = textOf(objectOf(objectOf(choice)['function'])['name']);
    const limit = body['max_completion_tokens'] ?? body['max_tokens'];
    const format = objectOf(body['response_format']);
    return {
      tools: functions.map(({ name, parameters }) => ({ name: textOf(name), schema: parameters })),
      ...(choice === 'required' && { forced: true as const }),
      ...(named !== '' && { forced: named }),
      ...(format['type'] === 'json_schema' && { schema: objectOf(format['json_schema'])['schema'] }),
      ...(format['type'] === 'json_object' && { schema: {} }),
      ...(typeof limit === 'number' && { limit }),
      segments: openaiSegments(body, body['tools'], messages),
      messages: messages.map(({ role, content }) => ({ role: textOf(role), text: contentText(content) })),
      rounds: roundsOf(
        messages,
        (message) => message['role'] === 'user',
        (message) => 'tool_calls' in message,
      ),
      tier: openaiTier(body),
      thinks: body['reasoning_effort'] !== 'none',
      cacheKey: textOf(body['prompt_cache_key']),
    };
  },

  whole(answer, turn) {
    const message = {
      role: 'assistant',
      content: answer.text === '' && answer.calls.length > 0 ? null : answer.text,
      refusal: answer.end === 'refusal' ? refusalOf(answer) : null,
      ...thoughtsOf(answer, turn),
      ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(callOf) }),
    };
    return {
      ...head(answer, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[answer.end] }],
      usage: usageOf(answer),
      service_tier: answer.usage.tier,
    };
  },

  events(answer, turn) {
    const chunk = (delta: Json, finish: string | null = null): StreamEvent => ({
      data: {
        ...head(answer, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason: finish }],
        service_tier: answer.usage.tier,
      },
    });
    const refusal = answer.end === 'refusal' ? [chunk({ refusal: refusalOf(answer) })] : [];
    const thoughts = thoughtsOf(answer, turn);
    const usage = objectOf(turn.body['stream_options'])['include_usage'] === true;
    return [
      chunk({ role: 'assistant', content: '' }),
      ...('reasoning_content' in thoughts
        ? pieces(answer.thoughts).map((piece) => chunk({ reasoning_content: piece }))
        : []),
      ...pieces(answer.text).map((piece) => chunk({ content: piece })),
      ...answer.calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...callOf({ ...call, arguments: '' }) }] }),
        ...pieces(call.arguments).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      ...refusal,
      chunk({}, finishReasons[answer.end]),
      ...(usage
        ? [
            {
              data: {
                ...head(answer, 'chat.completion.chunk'),
                choices: [],
                usage: usageOf(answer),
                service_tier: answer.usage.tier,
              },
            },
          ]
        : []),
      { data: '[DONE]' },
    ];
  },
};

/** Returns how many replies with calls came after the last text of the user. */
export function roundsOf<T>(messages: readonly T[], isUser: (one: T) => boolean, isCall: (one: T) => boolean): number {
  return messages.slice(messages.findLastIndex(isUser) + 1).filter(isCall).length;
}

/** Returns the tier of a request to OpenAI; without a word the project decides, which is the default tier here. */
export function openaiTier(body: Json): string {
  const tier = textOf(body['service_tier']);
  return tier === '' || tier === 'auto' ? 'default' : tier;
}

/** Returns the prompt in the order of OpenAI's cache: tools, then messages or items, which may carry breakpoints. */
export function openaiSegments(body: Json, tools: unknown, items: readonly Json[]): Segment[] {
  const options = objectOf(body['prompt_cache_options']);
  const keepOf = (ttl: unknown) => (ttl === '12h' ? ('long' as const) : ('short' as const));
  const explicit = options['mode'] === 'explicit';
  const written: Segment[] = items.map((item) => {
    const mark = objectsOf(item['content']).findLast((part) => isObject(part['prompt_cache_breakpoint']));
    const ttl = objectOf(mark?.['prompt_cache_breakpoint'])['ttl'] ?? options['ttl'];
    return { text: JSON.stringify(item), ...(mark !== undefined && { keep: keepOf(ttl) }) };
  });
  const marked = written.filter(({ keep }) => keep !== undefined).slice(explicit ? -4 : -3);
  const segments = written.map((segment): Segment => (marked.includes(segment) ? segment : { text: segment.text }));
  const last = segments.at(-1);
  if (!explicit && last !== undefined) segments[segments.length - 1] = { ...last, keep: keepOf(options['ttl']) };
  return tools == null ? segments : [{ text: JSON.stringify(tools) }, ...segments];
}

const refusalOf = ({ text }: Answer): string => (text === '' ? "I'm sorry, I can't help with that." : text);

const head = ({ id, model }: Answer, object: string): Json => ({
  id: `chatcmpl-${id}`,
  object,
  created: 1_795_000_000,
  model,
});

const callOf = ({ id, name, arguments: written }: Answer['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});

/** OpenAI does not show thoughts over this API; the servers that imitate it do. */
const thoughtsOf = ({ thoughts }: Answer, { vendor }: Turn): Json =>
  vendor !== 'compatible' || thoughts === '' ? {} : { reasoning_content: thoughts };

function usageOf({ usage }: Answer): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.read,
      ...(usage.write > 0 && { cache_write_tokens: usage.write }),
      audio_tokens: 0,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  };
}
