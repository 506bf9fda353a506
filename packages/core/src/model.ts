// The values that all parts share: ids, failures, messages, usage, and facts about models. `index.ts` has all of them.

export { CallLost, type Issue, NodeError, type Position, RequestError } from './model/errors.ts';
export { addWarning, type Failure, failureOf, type UnknownRule, type Warning } from './model/failure.ts';
export {
  type ActivationId,
  type AgendaItem,
  agendaItemId,
  type DueAlarm,
  defaultQueue,
  type MessageId,
  maxPriority,
  parseAgendaItemId,
  type QueueName,
  queueName,
  type RunId,
  rootScope,
  type ScopeId,
  type Wake,
  wakeId,
} from './model/ids.ts';
export {
  type EmbeddingRequest,
  type Memory,
  type MemoryFiles,
  type MemoryInteraction,
  type MemoryItem,
  type MemoryStage,
  type MemoryUse,
  type MemoryWrite,
  type RecallRequest,
  runStoreIdentity,
  runStoreName,
  storeOfRun,
} from './model/memory.ts';
export {
  attachedFiles,
  attachedPath,
  attachmentBlock,
  attachmentOf,
  attachmentsOf,
  contentWithFiles,
  isTextFile,
  maxAttachmentBytes,
  messageWithAttachments,
  mimeTypeOf,
  type StoredTextFile,
  storedTextFilesOf,
  textFilesOf,
} from './model/messages/attachment.ts';
export {
  type DeltaItem,
  type DeltaMessage,
  handoffMessage,
  handoffTarget,
  type NodeEvent,
  stopMessage,
  type TerminationDelta,
  type TokenCounts,
  taskSource,
  toDeltaMessage,
} from './model/messages/delta.ts';
export { fillItems, type Items, itemsOf, withItems } from './model/messages/items.ts';
export {
  type Attachment,
  type Block,
  bodyOf,
  type DataBlock,
  isTooDeep,
  type Message,
  type MessageBody,
  type MessageRef,
  maxJsonDepth,
  maxMessageChars,
  messageOf,
  messageSize,
  nestsTooDeeply,
  oversizeProblem,
  type Role,
  type ToolCall,
  textMessage,
  textOf,
} from './model/messages/message.ts';
export { fieldText, isSignalTimeout, type SignalFilter, signalBody } from './model/messages/signal.ts';
export {
  carriedData,
  dataOf,
  isMapping,
  mergeVariables,
  parseJsonFields,
  templateNames,
  type Variables,
  valueAt,
  variablesOf,
  withVariables,
} from './model/messages/variables.ts';
export { unwrapValue, wrapValue } from './model/messages/wrapped-value.ts';
export { omitUndefined } from './model/omit-undefined.ts';
export {
  installation,
  loadOptional,
  missingPackages,
  type OptionalPackages,
} from './model/optional-package.ts';
export { ModelList, onOwnHost } from './model/profiles/model-list.ts';
export {
  type AskedModel,
  createModelLookup,
  type ModelLookup,
  type ModelProfile,
  type ModelTables,
} from './model/profiles/model-lookup.ts';
export {
  ModelTable,
  tableOfPrices,
} from './model/profiles/model-table.ts';
export { type ReadModelList, readModelList } from './model/profiles/read-model-list.ts';
export { refusedParams } from './model/profiles/refused-params.ts';
export { describeRetirement, type RetirementDates, retirementOf } from './model/profiles/retirement.ts';
export { type ModelChange, planModelUpdate, UpdatedTables } from './model/profiles/update-models.ts';
export {
  activeStatuses,
  type EndedStatus,
  endedStatuses,
  isEnded,
  type RunStatus,
  runStatuses,
} from './model/run-status.ts';
export {
  assertTenant,
  defaultTenant,
  type TenantId,
  tenantOf,
  tenantPattern,
  withoutTenant,
  withTenant,
} from './model/tenant.ts';
export {
  boundedResponse,
  describeExceeded,
  type ExceededLimit,
  type MessageLimits,
  MessageMeter,
  readTextStart,
} from './model/text/bounded-body.ts';
export { durationPattern, parseDuration } from './model/text/duration.ts';
export { argumentText, singleLine, variableName, variableNameAdvice } from './model/text/field-patterns.ts';
export { boundedIssues, describeIssues } from './model/text/schema-issues.ts';
export { encodingLabel, isEncoding, markedEncoding } from './model/text/text-encoding.ts';
export {
  type Amount,
  type Budget,
  budgetFromDollars,
  type CallBound,
  formatDollars,
  isAboveWorstCase,
  maxBudgetDollars,
  readBudgetAnswer,
  type WorstCase,
  zeroAmount,
} from './model/usage/budget.ts';
export {
  costOf,
  type MostUsage,
  mostCostOf,
  type Rates,
  ratesOf,
  savedByCaches,
  type Terms,
} from './model/usage/cost.ts';
export { durationBucket, durationQuantile } from './model/usage/duration-buckets.ts';
export { Price, Prices } from './model/usage/price.ts';
export { RateLimit, RateRule, RateRules, rateLimitOf } from './model/usage/rate.ts';
export {
  addModelCall,
  addUsage,
  type ModelUsage,
  noModelUsage,
  tokensOf,
  type Usage,
  usageFields,
  usageMeasures,
} from './model/usage/usage.ts';
export {
  attachmentFolder,
  type FileChange,
  type FileVersion,
  type Workspace,
  type WorkspaceEntry,
} from './model/workspace.ts';
