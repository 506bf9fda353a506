import type {
  ConditionDefinition,
  MemoryDefinition,
  ModelTable,
  NodeDefinition,
  ProcessorDefinition,
  ProviderDefinition,
  SplitterDefinition,
  TerminationDefinition,
  Vocabulary,
} from '@millrace/core';
import { branch } from './conditions/branch.ts';
import { dataCondition } from './conditions/data.ts';
import { functionCondition } from './conditions/function.ts';
import { handoffCondition } from './conditions/handoff.ts';
import { keyword } from './conditions/keyword.ts';
import { regexCondition } from './conditions/regex.ts';
import { builtInConditionFunctions } from './functions/condition-functions.ts';
import { namesOf } from './functions/extension-names.ts';
import type { Extensions } from './functions/extensions.ts';
import { builtInProcessorFunctions } from './functions/processor-functions.ts';
import { blackboard } from './memories/blackboard.ts';
import { file } from './memories/file.ts';
import { mem0 } from './memories/mem0.ts';
import { memoryFile } from './memories/memory-file.ts';
import { simple } from './memories/simple.ts';
import { createModelTables } from './models/shipped-models.ts';
import { agent } from './nodes/agent/agent.ts';
import { graphPolicy } from './nodes/agent/tooling/policy-config.ts';
import { boss } from './nodes/boss.ts';
import { controller } from './nodes/controller/controller.ts';
import { delay } from './nodes/delay.ts';
import { human } from './nodes/human.ts';
import { literal } from './nodes/literal.ts';
import { loopCounter } from './nodes/loop-counter.ts';
import { loopTimer } from './nodes/loop-timer.ts';
import { memoryRead } from './nodes/memory/memory-read.ts';
import { memoryWrite } from './nodes/memory/memory-write.ts';
import { passthrough } from './nodes/passthrough.ts';
import { python } from './nodes/python.ts';
import { subgraph } from './nodes/subgraph.ts';
import { templateNode } from './nodes/template.ts';
import { waitFor } from './nodes/wait-for.ts';
import { functionProcessor } from './processors/function.ts';
import { pick } from './processors/pick.ts';
import { regexExtract } from './processors/regex-extract.ts';
import { template } from './processors/template.ts';
import { anthropic } from './providers/anthropic.ts';
import { gemini } from './providers/gemini.ts';
import { openai } from './providers/openai/openai.ts';
import { scripted } from './providers/scripted.ts';
import { delimiter } from './splitters/delimiter.ts';
import { jsonArray } from './splitters/json-array.ts';
import { jsonPath } from './splitters/json-path.ts';
import { lines } from './splitters/lines.ts';
import { message } from './splitters/message.ts';
import { regexSplitter } from './splitters/regex.ts';
import { external } from './terminations/external.ts';
import { functionTermination } from './terminations/function.ts';
import { functionCall } from './terminations/function-call.ts';
import { handoffTermination } from './terminations/handoff.ts';
import { maxMessages } from './terminations/max-messages.ts';
import { maxTurns } from './terminations/max-turns.ts';
import { sourceMatch } from './terminations/source-match.ts';
import { stopMessageTermination } from './terminations/stop-message.ts';
import { textMention } from './terminations/text-mention.ts';
import { textMessageTermination } from './terminations/text-message.ts';
import { timeout } from './terminations/timeout.ts';
import { tokenUsage } from './terminations/token-usage.ts';
import { builtInTools } from './tools/built-in.ts';

export {
  Comparison,
  comparisonProblems,
  compileComparison,
  describeComparison,
} from './comparison/comparison.ts';
export { linkedController, startDeadline } from './deadlines/deadline.ts';
export { requestVectors } from './embeddings/request-vectors.ts';
export { textOfVector, vectorOfText } from './embeddings/vector.ts';
export type { ConditionFunction } from './functions/condition-functions.ts';
export type { DetectContext, DetectedOutput, DetectFunction, DetectResult } from './functions/detect-functions.ts';
export type { Extensions } from './functions/extensions.ts';
export type { ProcessorFunction, ProcessorFunctionResult } from './functions/processor-functions.ts';
export type {
  TerminationContext,
  TerminationFunction,
  TerminationVerdict,
} from './functions/termination-function.ts';
export { withoutBuiltIns } from './functions/without-built-ins.ts';
export { readFileUpTo } from './memories/read-chunks.ts';
export { type RecalledMemory, recalledMemoriesText } from './memories/recalled-memories.ts';
export { problemOfKey, unsendableCharacter } from './model-calls/api-key.ts';
export { inlineContent } from './model-calls/content.ts';
export type { RetryInput } from './model-calls/retry.ts';
export { isFinalStatus, retryDelaySeconds } from './model-calls/retry.ts';
export { knowledgeOf } from './models/model-knowledge.ts';
export { shippedModels } from './models/shipped-models.ts';
export { graphPolicy, operatorPolicyProblems } from './nodes/agent/tooling/policy-config.ts';
export { answerContent, type GivenAnswer } from './nodes/answer-content.ts';
export { callDecision } from './nodes/call-decision.ts';
export { retryPolicyOf } from './nodes/retry-config.ts';
export { keptBy } from './providers/prompt-cache.ts';
export { scriptFileProblems, scriptJsonSchema } from './providers/script.ts';
export { scriptedInTests, type TestAnswering } from './providers/scripted.ts';
export { describeAdditions } from './providers/send-with-additions.ts';
export type { ReadReply } from './reading/read-task.ts';
export { createDirectReader, createWorkflowReader, type WorkflowReader } from './reading/workflow-reader.ts';
export { pythonRegex } from './regex/python-regex.ts';
export { schemaProblems } from './schema/data-schema.ts';
export { type Validated, validate } from './schema/schema-validator.ts';
export { MappedTools, mappedTools } from './tools/mapped-tools.ts';
export { assertCount, assertFits, indentedJson } from './tools/tool-answer.ts';

/** Returns all definitions that workflows can name: one line per entry. */
export function createVocabulary(extensions: Extensions = {}, operatorModels: readonly ModelTable[] = []): Vocabulary {
  const modelTables = createModelTables(operatorModels);
  const tools = new Map([...builtInTools, ...(extensions.tools ?? [])].map((tool) => [tool.name, tool]));
  const nodes: readonly NodeDefinition[] = [
    agent(tools),
    boss,
    controller(extensions.detects ?? new Map()),
    delay,
    human,
    literal,
    loopCounter,
    loopTimer,
    memoryRead,
    memoryWrite,
    passthrough,
    python,
    subgraph,
    templateNode,
    waitFor,
  ];
  const providers: readonly ProviderDefinition[] = [openai, gemini, anthropic, scripted];
  const conditions: readonly ConditionDefinition[] = [
    branch,
    dataCondition,
    functionCondition(new Map([...builtInConditionFunctions, ...(extensions.conditions ?? [])])),
    keyword,
    regexCondition,
    handoffCondition,
  ];
  const processors: readonly ProcessorDefinition[] = [
    functionProcessor(new Map([...builtInProcessorFunctions, ...(extensions.processors ?? [])])),
    pick,
    regexExtract,
    template,
  ];
  const splitters: readonly SplitterDefinition[] = [message, regexSplitter, jsonPath, jsonArray, lines, delimiter];
  const terminations: readonly TerminationDefinition[] = [
    maxMessages,
    maxTurns,
    textMention,
    tokenUsage,
    timeout,
    handoffTermination,
    sourceMatch,
    external,
    stopMessageTermination,
    textMessageTermination,
    functionCall,
    functionTermination(extensions.terminations ?? new Map()),
  ];
  return {
    nodes: byType(nodes),
    conditions: byType(conditions),
    processors: byType(processors),
    splitters: byType(splitters),
    providers: byType(providers),
    memories: byType<MemoryDefinition>([simple, file, blackboard, mem0, memoryFile]),
    tools,
    terminations: byType(terminations),
    toolPolicy: graphPolicy,
    models: modelTables.lookup,
    modelTables,
    extensions: namesOf(extensions),
  };
}

/** Returns a vocabulary whose agents have other tools under the same names. */
export const withTools = (vocabulary: Vocabulary, tools: Vocabulary['tools']): Vocabulary => ({
  ...vocabulary,
  tools,
  nodes: new Map([...vocabulary.nodes, ...byType([agent(tools)])]),
});

interface TypeNames {
  readonly type: string;
  readonly aliases?: readonly string[];
}

/** Returns definitions by their types and by every alias. */
export function byType<D extends TypeNames>(definitions: readonly D[]): ReadonlyMap<string, D> {
  const found = new Map<string, D>();
  for (const definition of definitions) {
    for (const name of [definition.type, ...(definition.aliases ?? [])]) {
      if (found.has(name)) throw new Error(`Two definitions claim the type "${name}"`);
      found.set(name, definition);
    }
  }
  return found;
}
