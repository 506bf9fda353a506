import type { ModelRules } from '../bill/models.ts';
import { isUnsigned } from '../dialects/gemini-content.ts';
import type { Json, Turn } from '../turn.ts';
import { isObject, objectOf, objectsOf, textOf } from '../turn.ts';
import type { FieldProblem, Fields } from './fields.ts';
import { fieldProblem } from './fields.ts';
import type { Refusal } from './refusal.ts';
import { firstRefusal, invalid } from './refusal.ts';
import { schemaFlaw, schemaRules } from './schema-rules.ts';

const fields: Fields = {
  contents: 'array',
  systemInstruction: 'object',
  tools: 'array',
  toolConfig: 'object',
  safetySettings: 'array',
  generationConfig: 'object',
  cachedContent: 'string',
  labels: 'object',
  serviceTier: 'string',
};
const configFields: Fields = {
  stopSequences: 'array',
  responseMimeType: 'string',
  responseModalities: 'array',
  responseSchema: 'object',
  responseJsonSchema: 'object',
  thinkingConfig: 'object',
  temperature: 'number',
  topP: 'number',
  topK: 'number',
  candidateCount: 'integer',
  maxOutputTokens: 'integer',
  presencePenalty: 'number',
  frequencyPenalty: 'number',
  seed: 'integer',
  responseLogprobs: 'boolean',
  logprobs: 'integer',
  mediaResolution: 'string',
  speechConfig: 'object',
  imageConfig: 'object',
  audioTimestamp: 'boolean',
};
const partFields: Fields = {
  text: 'string',
  thought: 'boolean',
  thoughtSignature: 'string',
  inlineData: 'object',
  fileData: 'object',
  functionCall: 'object',
  functionResponse: 'object',
  videoMetadata: 'object',
};

/** Returns the refusal of the Gemini API for a request that it does not accept. */
export function geminiRefusal(turn: Turn, rules: ModelRules): Refusal | undefined {
  const { body, model } = turn;
  if (rules.gone)
    return {
      refuse: 404,
      message: `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
    };
  const config = objectOf(body['generationConfig']);
  return firstRefusal(
    () => worded(fieldProblem(body, fields)),
    () => worded(fieldProblem(config, configFields), 'generation_config'),
    () => limitRefusal(config, rules),
    () => thinkingRefusal(objectOf(config['thinkingConfig']), rules),
    () => toolRefusal(turn),
    () => formRefusal(turn, config, rules),
    () => contentsRefusal(turn, rules),
  );
}

function worded(problem: FieldProblem | undefined, place?: string): Refusal | undefined {
  if (problem === undefined) return undefined;
  const at = place === undefined ? '' : ` at '${place}'`;
  const description =
    problem.type === 'unknown'
      ? `Invalid JSON payload received. Unknown name "${problem.name}"${at}: Cannot find field.`
      : `Invalid value at '${place === undefined ? '' : `${place}.`}${problem.name}', ${JSON.stringify(problem.value)}`;
  const violation = { field: place ?? '', description };
  return invalid(description, {
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }],
  });
}

function limitRefusal({ maxOutputTokens: limit }: Json, { output }: ModelRules): Refusal | undefined {
  if (typeof limit !== 'number' || (limit >= 1 && limit <= output)) return undefined;
  return invalid(
    `Unable to submit request because it has a maxOutputTokens value of ${limit} but the supported range is from 1 (inclusive) to ${output + 1} (exclusive). Update the value and try again.`,
  );
}

function thinkingRefusal(thinking: Json, rules: ModelRules): Refusal | undefined {
  const { thinkingLevel: level, thinkingBudget: budget } = thinking;
  if (level != null && budget != null)
    return invalid('You can only set only one of thinking budget and thinking level.');
  if (level != null && !rules.effort.includes(textOf(level).toUpperCase()))
    return invalid(
      rules.effort.length === 0
        ? 'Thinking level is not supported for this model.'
        : `Thinking level ${textOf(level).toUpperCase()} is not supported for this model. Please retry with other thinking level.`,
    );
  if (budget === 0 && !rules.thinking.disabled)
    return invalid('Budget 0 is invalid. This model only works in thinking mode.');
  return undefined;
}

function toolRefusal({ tools, forced }: Turn): Refusal | undefined {
  const at = tools.findIndex(({ name }) => !/^[a-zA-Z_][\w.:-]{0,127}$/.test(name));
  if (at >= 0)
    return invalid(
      `Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
    );
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    return invalid(`Duplicate function declaration found: ${tools.map(({ name }) => name).join(', ')}`);
  return forced !== undefined && tools.length === 0
    ? invalid('Function calling config is set without function_declarations.')
    : undefined;
}

/** Returns the refusal of a form of the answer. */
function formRefusal({ tools }: Turn, config: Json, { structured }: ModelRules): Refusal | undefined {
  const schema = config['responseJsonSchema'];
  const isJson = config['responseMimeType'] === 'application/json';
  if (isJson && structured === 'without tools' && tools.length > 0)
    return invalid("Function calling with a response mime type: 'application/json' is unsupported");
  if (schema === undefined) return undefined;
  if (!isJson)
    return invalid('responseMimeType must be application/json when a response schema is set in generation_config');
  const flaw = schemaFlaw(schema, schemaRules.gemini);
  return (
    flaw && invalid(`Invalid value at 'generation_config.response_json_schema.${flaw.context.join('.')}': ${flaw.text}`)
  );
}

function contentsRefusal({ body }: Turn, rules: ModelRules): Refusal | undefined {
  const contents = objectsOf(body['contents']);
  if (contents.length === 0) return invalid('* GenerateContentRequest.contents: contents is not specified');
  for (const [at, content] of contents.entries()) {
    const parts = objectsOf(content['parts']);
    if (parts.length === 0)
      return invalid(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`);
    const role = content['role'] ?? 'user';
    if (role !== 'user' && role !== 'model') return invalid('Please use a valid role: user, model.');
    const wrong = parts.map((part) => fieldProblem(part, partFields)).find((problem) => problem !== undefined);
    if (wrong !== undefined) return worded(wrong, `contents[${at}].parts[0]`);
    const refusal = turnRefusal(contents, at);
    if (refusal !== undefined) return refusal;
  }
  return rules.echo ? signatureRefusal(contents) : undefined;
}

const counted = (content: Json | undefined, field: string): number =>
  objectsOf(content?.['parts']).filter((part) => isObject(part[field])).length;

function turnRefusal(contents: readonly Json[], at: number): Refusal | undefined {
  const [before, content, after] = [contents[at - 1], contents[at], contents[at + 1]];
  const [calls, responses] = [counted(content, 'functionCall'), counted(content, 'functionResponse')];
  if (responses > 0 && counted(before, 'functionCall') === 0)
    return invalid('Please ensure that function response turn comes immediately after a function call turn.');
  if (calls > 0 && before?.['role'] !== 'user')
    return invalid(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
  if (calls > 0 && counted(after, 'functionResponse') !== calls)
    return invalid(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
  return undefined;
}

/** The first call of each model turn since the user last spoke must carry its signature. */
function signatureRefusal(contents: readonly Json[]): Refusal | undefined {
  const spoken = contents.findLastIndex(
    (content) => content['role'] !== 'model' && counted(content, 'functionResponse') === 0,
  );
  for (const [at, content] of contents.entries()) {
    const call = objectsOf(content['parts']).find((part) => isObject(part['functionCall']));
    if (at <= spoken || call === undefined || !isUnsigned(call)) continue;
    const name = textOf(objectOf(call['functionCall'])['name']);
    return invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    );
  }
  return undefined;
}
