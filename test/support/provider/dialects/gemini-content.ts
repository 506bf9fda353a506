import type { Answer, End } from '../reply.ts';
import { parsedArguments } from '../reply.ts';
import type { Json } from '../turn.ts';
import { contentText, isObject, objectOf, objectsOf, textOf } from '../turn.ts';
import type { Dialect } from './dialect.ts';
import { pieces } from './dialect.ts';
import { roundsOf } from './openai-chat.ts';

const finishReasons: Readonly<Record<End, string>> = {
  stop: 'STOP',
  calls: 'STOP',
  length: 'MAX_TOKENS',
  context: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'PROHIBITED_CONTENT',
  malformed: 'MALFORMED_FUNCTION_CALL',
  paused: 'OTHER',
};

/** The Gemini API of Google. */
export const geminiContent: Dialect = {
  read(body) {
    const contents = objectsOf(body['contents']);
    const config = objectOf(body['generationConfig']);
    const declared = objectsOf(body['tools']).flatMap(({ functionDeclarations }) => objectsOf(functionDeclarations));
    const calling = objectOf(objectOf(body['toolConfig'])['functionCallingConfig']);
    const [allowed] = Array.isArray(calling['allowedFunctionNames']) ? calling['allowedFunctionNames'] : [];
    const limit = config['maxOutputTokens'];
    const schema = config['responseJsonSchema'] ?? config['responseSchema'];
    const system = contentText(objectOf(body['systemInstruction'])['parts']);
    return {
      tools: declared.map(({ name, parametersJsonSchema, parameters }) => ({
        name: textOf(name),
        schema: parametersJsonSchema ?? parameters,
      })),
      ...(calling['mode'] === 'ANY' && { forced: typeof allowed === 'string' ? allowed : (true as const) }),
      ...(schema !== undefined && { schema }),
      ...(typeof limit === 'number' && { limit }),
      segments: [body['systemInstruction'], body['tools'], ...contents]
        .filter((part) => part !== undefined)
        .map((part) => ({ text: JSON.stringify(part) })),
      messages: [
        ...(system === '' ? [] : [{ role: 'system', text: system }]),
        ...contents.map(({ role, parts }) => ({
          role: role === 'model' ? 'assistant' : 'user',
          text: contentText(parts),
        })),
      ],
      rounds: roundsOf(
        contents,
        ({ role, parts }) => role !== 'model' && !objectsOf(parts).some((part) => 'functionResponse' in part),
        ({ parts }) => objectsOf(parts).some((part) => 'functionCall' in part),
      ),
      tier: textOf(body['serviceTier']) || 'standard',
      thinks: objectOf(config['thinkingConfig'])['thinkingBudget'] !== 0,
      showsThoughts: objectOf(config['thinkingConfig'])['includeThoughts'] === true,
    };
  },

  whole: (answer) => chunkOf(answer, partsOf(answer), true),

  events(answer) {
    const { text, ...rest } = answer;
    const spoken = pieces(text).map((piece) => ({ data: chunkOf(answer, [{ text: piece }], false) }));
    return [...spoken, { data: chunkOf(answer, partsOf({ ...rest, text: '' }), true) }];
  },
};

function partsOf({ id, thoughts, text, calls, end }: Answer): Json[] {
  if (end === 'malformed') return [];
  return [
    ...(thoughts === '' ? [] : [{ text: thoughts, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    // The first call of a turn carries the signature of the thoughts that led to it.
    ...calls.map(({ name, arguments: written }, at) => ({
      functionCall: { name, args: parsedArguments(written) },
      ...(at === 0 && { thoughtSignature: Buffer.from(`signature of ${id}`).toString('base64') }),
    })),
  ];
}

function chunkOf({ id, model, end, usage }: Answer, parts: readonly Json[], last: boolean): Json {
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', ...(parts.length > 0 && { parts }) },
        ...(last && { finishReason: finishReasons[end] }),
        ...(last && end === 'malformed' && { finishMessage: 'Malformed function call: call(' }),
      },
    ],
    ...(last && {
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output - usage.reasoning,
        totalTokenCount: usage.input + usage.output,
        ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
        ...(usage.read > 0 && { cachedContentTokenCount: usage.read }),
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
        trafficType:
          usage.tier === 'flex' ? 'ON_DEMAND_FLEX' : usage.tier === 'priority' ? 'ON_DEMAND_PRIORITY' : 'ON_DEMAND',
      },
    }),
    modelVersion: model,
    responseId: id,
  };
}

/** Returns whether a part is a call without a signature. */
export const isUnsigned = (part: Json): boolean =>
  isObject(part['functionCall']) && part['thoughtSignature'] === undefined;
