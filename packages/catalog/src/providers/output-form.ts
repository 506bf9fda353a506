import type { ChatReply, ChatRequest, JsonSchema, ModelProfile, ModelTool, ToolCall, ToolChoice } from '@millrace/core';
import { strictSchema } from '../schema/strict-schema.ts';

/** Way in which a request asks for a form of its answer. */
export type OutputWay =
  /** The form of the API. `isStrict`: the provider can promise the schema. */
  | { readonly type: 'native'; readonly schema: JsonSchema; readonly isStrict: boolean }
  | { readonly type: 'tool' | 'json'; readonly schema: JsonSchema };

/** Name of the schema in the form of the API, and of the tool that receives an answer. */
export const formName = 'result';
export const submitName = 'submit_result';

/** What a server has refused for a model. */
interface Refused {
  readonly native: boolean;
  readonly choice: boolean;
}

/** Decides how a request asks for the form of its answer; undefined if it asks for none. */
export function outputWay(request: ChatRequest, profile: ModelProfile, refused: Refused): OutputWay | undefined {
  const { output, tools = [], toolChoice } = request;
  if (output === undefined) return undefined;
  const { schema, mode } = output;
  const strict = strictSchema(schema);
  const native = { type: 'native', schema: strict ?? schema, isStrict: strict !== undefined } as const;
  const hasNative = native.isStrict && !refused.native && offersNative(profile, tools);
  switch (mode) {
    case 'if_native':
      return hasNative && !isForced(toolChoice, profile, refused) ? native : undefined;
    case 'native':
      if (refused.native) return { type: 'json', schema };
      return isAccepted(native, request) ? native : { type: toolOrJson(toolChoice), schema };
    case 'auto':
      if (hasNative) return native;
      return { type: hasTools(profile) ? toolOrJson(toolChoice) : 'json', schema };
    case 'tool':
      return { type: toolOrJson(toolChoice), schema };
    case 'json':
      return { type: 'json', schema };
  }
}

const offersNative = (profile: ModelProfile, tools: readonly ModelTool[]): boolean =>
  profile.structured === 'native' && (tools.length === 0 || profile.structured_with_tools !== 'no');

/** Only the API of OpenAI has a form for schemas that are not strict. */
const isAccepted = ({ isStrict }: { readonly isStrict: boolean }, { provider }: ChatRequest): boolean =>
  isStrict || provider === 'openai';

const isForced = (choice: ToolChoice | undefined, profile: ModelProfile, refused: Refused): boolean =>
  choice === 'required' && profile.tool_choice === 'forced' && !refused.choice;

const hasTools = ({ structured }: ModelProfile): boolean => structured === 'native' || structured === 'tool';

/** A model that must not call tools cannot submit its answer with one. */
const toolOrJson = (choice: ToolChoice | undefined): 'tool' | 'json' => (choice === 'none' ? 'json' : 'tool');

/** Returns the tool with which a model submits its answer. */
export const submitTool = (schema: JsonSchema): ModelTool => ({
  name: submitName,
  description: 'Submit the final answer. Call it once, alone, when the answer is complete.',
  parameters: schema,
});

/** Returns the instruction for an answer in a form. */
export const formInstruction = (schema: JsonSchema): string =>
  `Answer with one JSON object and nothing else. It must match this JSON Schema:\n${JSON.stringify(schema)}`;

/**
 * Returns a reply in which a submitted answer is the text. Beside other calls it is left out: the model submits again when
 * it knows their results. A reply that was cut, or whose call cannot be read, stays as it is.
 */
export function withSubmittedText(reply: ChatReply): ChatReply {
  const { toolCalls = [], ...rest } = reply;
  if (!['calls', 'stop', 'unknown'].includes(reply.end)) return reply;
  const submitted = toolCalls.find(({ name }) => name === submitName);
  if (submitted === undefined) return reply;
  const others = toolCalls.filter(({ name }) => name !== submitName);
  if (others.length > 0) return { ...reply, toolCalls: others };
  return isObject(submitted) ? { ...rest, text: submitted.arguments, end: 'stop' } : reply;
}

function isObject({ arguments: written }: ToolCall): boolean {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
