import { ModelError } from '../model-calls/model-error.ts';

/** Params of an agent that both of OpenAI's APIs have. */
export interface OpenAIParams {
  /** The API of OpenAI that is called. */
  readonly protocol: 'chat' | 'responses';
  readonly headers: Record<string, string>;
  readonly query: Record<string, unknown>;
  /** Limit of the reply, which the APIs call `max_tokens` and `max_output_tokens`. */
  readonly maxTokens: { readonly plain: unknown; readonly output: unknown };
  /** Returns all other params and these ones, without those that are null; tools come after those of the params. */
  bodyWith(own: { readonly tools: readonly unknown[] } & Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/**
 * Parses params as the Python SDK does: all of them go into the body unchanged, except for those that the SDK
 * (`timeout` in seconds, `extra_headers`, `extra_query`, `extra_body`) or Millrace (`protocol`, `tool_loop_limit`,
 * `stream`) reads itself.
 */
export function openaiParams(params: Readonly<Record<string, unknown>>): OpenAIParams {
  const {
    timeout: _timeout,
    tool_loop_limit: _limit,
    stream: _stream,
    extra_headers,
    extra_query,
    extra_body,
    protocol,
    max_tokens,
    max_output_tokens,
    tools,
    tool_choice,
    ...rest
  } = params;
  const listed = listOf(tools);
  return {
    protocol: protocolOf(protocol),
    headers: Object.fromEntries(Object.entries(record(extra_headers)).map(([name, value]) => [name, String(value)])),
    query: record(extra_query),
    maxTokens: { plain: max_tokens, output: max_output_tokens },
    bodyWith({ tools: bound, ...own }) {
      const offered = [...listed, ...bound];
      const choice = tool_choice ?? (bound.length === 0 ? null : 'auto');
      const sent = { ...own, ...rest, tools: offered.length === 0 ? null : offered, tool_choice: choice };
      return {
        ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
        ...record(extra_body),
      };
    },
  };
}

function protocolOf(protocol: unknown): 'chat' | 'responses' {
  if (protocol == null || protocol === 'chat') return 'chat';
  if (protocol === 'responses') return protocol;
  throw new ModelError(
    'MODEL_BAD_REQUEST',
    `The param \`protocol\` is ${JSON.stringify(protocol)}. Write chat or responses, or leave it out.`,
    { type: 'ValueError' },
  );
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function listOf(tools: unknown): readonly unknown[] {
  if (tools == null) return [];
  if (Array.isArray(tools)) return tools;
  throw new ModelError('MODEL_BAD_REQUEST', 'The param `tools` is not a list. Write a list of tools, or omit it.', {
    type: 'ValueError',
  });
}
