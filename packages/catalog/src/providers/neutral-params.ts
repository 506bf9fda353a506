import type { ToolChoice } from '@millrace/core';
import { ModelError } from '../model-calls/model-error.ts';

/** Params of an author, split into those that mean the same for all providers and those that are sent as written. */
export interface SplitParams {
  /** The API of OpenAI that the author names. */
  readonly protocol?: 'chat' | 'responses';
  /** Limit of the answer in tokens. */
  readonly limit?: unknown;
  /** How much the model reasons. */
  readonly effort?: string;
  /** Service tier of the provider. */
  readonly tier?: string;
  /** Messages of one role that follow each other are joined. */
  readonly alternate: boolean;
  /** Tools of the provider; those of Millrace come after them. */
  readonly tools: readonly unknown[];
  /** A choice in the words of all providers; another one is among the written params. */
  readonly toolChoice?: ToolChoice;
  /** All other params. */
  readonly written: Readonly<Record<string, unknown>>;
}

/** Splits the params of an agent. Throws a ModelError for one that Millrace reads itself and that has a wrong form. */
export function splitParams(params: Readonly<Record<string, unknown>>): SplitParams {
  const {
    timeout: _timeout,
    tool_loop_limit: _rounds,
    stream: _stream,
    cost: _cost,
    think_tags: _tags,
    protocol,
    max_tokens,
    max_output_tokens,
    effort,
    tier,
    roles,
    tools,
    tool_choice: choice,
    ...rest
  } = params;
  const limit = max_tokens ?? max_output_tokens;
  const toolChoice = toolChoiceOf(choice);
  return {
    ...(protocol == null ? {} : { protocol: oneOf('protocol', protocol, ['chat', 'responses']) }),
    ...(limit == null ? {} : { limit }),
    ...(effort == null ? {} : { effort: word('effort', effort) }),
    ...(tier == null ? {} : { tier: word('tier', tier) }),
    alternate: roles != null && oneOf('roles', roles, ['alternate']) === 'alternate',
    tools: listOf(tools),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    written: toolChoice === undefined && choice !== undefined ? { ...rest, tool_choice: choice } : rest,
  };
}

function toolChoiceOf(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'required' || choice === 'none') return choice;
  if (typeof choice !== 'object' || choice === null || Object.keys(choice).length !== 1) return undefined;
  const tool: unknown = Reflect.get(choice, 'tool');
  return typeof tool === 'string' ? { tool } : undefined;
}

function oneOf<const Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  const found = words.find((each) => each === value);
  if (found !== undefined) return found;
  throw wrong(name, value, `Write ${words.join(' or ')}, or leave it out.`);
}

function word(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw wrong(name, value, 'Write one word, such as `low`.');
}

const wrong = (name: string, value: unknown, cure: string): ModelError =>
  new ModelError('MODEL_BAD_REQUEST', `The param \`${name}\` is ${JSON.stringify(value)}. ${cure}`, {
    type: 'ValueError',
  });

function listOf(tools: unknown): readonly unknown[] {
  if (tools == null) return [];
  if (Array.isArray(tools)) return tools;
  throw new ModelError('MODEL_BAD_REQUEST', 'The param `tools` is not a list. Write a list of tools, or omit it.', {
    type: 'ValueError',
  });
}
