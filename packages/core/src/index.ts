export { type CallToApprove, CallUndecided, type DecidedCall } from './definitions/approval.ts';
export {
  type ConditionDefinition,
  type ConditionFunction,
  type ConditionInput,
  type ConditionMessageFilter,
  type ConditionStepResult,
  type DataRoute,
  defineCondition,
  defineNode,
  defineProcessor,
  defineProvider,
  defineSplitter,
  defineTermination,
  defineTool,
  type ExtensionNames,
  type NodeDefinition,
  type NodeModel,
  type ProcessorDefinition,
  type ProcessorResult,
  type ProviderCall,
  type ProviderDefinition,
  type RouteContext,
  type SplitterDefinition,
  type TerminationDefinition,
  type ToolContext,
  type ToolDefinition,
  type ToolEffect,
  type Vocabulary,
  type WorkspaceToolContext,
} from './definitions/define.ts';
export {
  defineMemory,
  type MemoryContext,
  type MemoryDefinition,
  type MemoryFile,
  type MemoryQuery,
  type StoredMemory,
} from './definitions/define-memory.ts';
export type { ConfigProblem, Definition } from './definitions/definition.ts';
export type {
  ChatMessage,
  ChatReply,
  ChatRequest,
  EdgeHost,
  EmitChunk,
  FallbackModel,
  FallbackReason,
  Host,
  JsonSchema,
  McpConnection,
  McpServer,
  ModelTool,
  OnceTerms,
  Program,
  ProgramFiles,
  ProgramRun,
  PromptReuse,
  ReplyEnd,
  RetryPolicy,
  ServerTool,
  SkillFolder,
  Skills,
  Sleep,
  StepAction,
  ToolAnnotations,
  ToolAnswer,
  ToolChoice,
} from './definitions/host.ts';
export { noRetries } from './definitions/host.ts';
export {
  type AskedCall,
  completed,
  isSameQuestion,
  type Outcome,
  type StateWrite,
  type Wait,
} from './definitions/outcome.ts';
export {
  parseQuestionId,
  type QuestionPlace,
  questionId,
  questionOf,
  questionPattern,
} from './definitions/question-id.ts';
export type { KnownTools, PolicyDefinition, ToolPolicies, ToolRule } from './definitions/tool-policy.ts';
export { defaultReadLimits, type ReadLimits } from './definitions/workflow-limits.ts';
export { type NewMessage, type NewPreset, presetsOf } from './engine/commands/new-message.ts';
export type { NewRequest, NewText, SharedText } from './engine/commands/new-request.ts';
export type {
  ConditionObservations,
  NewRoute,
  ScopeObservation,
  Settlement,
  StoredUnits,
} from './engine/commands/settlement.ts';
export type { Command, PlainCommandType } from './engine/decide/command-handlers.ts';
export { type CommandVerdict, decide } from './engine/decide/decide.ts';
export { type Decision, iterationOf, wakeOf } from './engine/decide/decision.ts';
export {
  type Checkpoint,
  checkpointOf,
  lacksFor,
  type RestoredState,
  restoreCheckpoint,
  restoredInput,
} from './engine/evolve/checkpoint.ts';
export { evolve } from './engine/evolve/evolve.ts';
export { approvalsOf, openApprovals } from './engine/evolve/evolve-approval.ts';
export { elapsedTimes } from './engine/evolve/scopes/evolve-termination.ts';
export type { ForkCommand, ForkHistory } from './engine/handlers/fork.ts';
export type { SettleCommand } from './engine/handlers/settle.ts';
export type { StartCommand } from './engine/handlers/start.ts';
export type { ReuseStepCommand } from './engine/handlers/steps/reuse-step.ts';
export type { CompleteStepCommand, StartStepCommand } from './engine/handlers/steps/step.ts';
export type { LateStepCommand } from './engine/handlers/steps/unknown-step.ts';
export { storedUnits } from './engine/handlers/store-units.ts';
export type { ActivationPart, Route } from './engine/records/activation-events.ts';
export type { NamedMessage } from './engine/records/asked-request.ts';
export type { ArchivedSegment, Event, EventOf, EventType, JournalEntry, KeptSignal } from './engine/records/event.ts';
export type { EventNames, JournalEvent } from './engine/records/journal-event.ts';
export type { ListKey, RecordKey } from './engine/records/keys.ts';
export {
  type BatchRowRef,
  batchTag,
  type DefinitionRef,
  inheritedTags,
  type JournalPart,
  type Origin,
  type OriginWebhook,
  type Replay,
  type ReplayMode,
  replayModeOf,
  type Starter,
} from './engine/records/origin.ts';
export type {
  ActivationRecord,
  ApprovalRecord,
  BudgetRecord,
  PendingEntry,
  RunRecord,
  RunWarnings,
  ScopeRecord,
  StepRecord,
} from './engine/records/records.ts';
export { createRoute, selfEdge } from './engine/records/route.ts';
export type { ConditionStates, InFlight, ScopeRef, StopReason } from './engine/records/stop.ts';
export {
  type EnclosingTermination,
  enclosingTerminations,
  hasTerminations,
  terminationOf,
} from './engine/state/enclosing-terminations.ts';
export { filesOf, foldFiles, hasPrivateFiles } from './engine/state/files.ts';
export { inboxOf } from './engine/state/inbox.ts';
export { enclosingUnits, type InputRef, inputOf } from './engine/state/input.ts';
export { canStart, hasEnded, isBlocked, isExecuting, isWaiting, liveActivation } from './engine/state/live.ts';
export {
  activationsOf,
  alarmsOf,
  frameOf,
  graphOf,
  locateActivation,
  nodeOf,
  pausesWithRun,
  runOf,
  scopeOf,
  suspensionOf,
} from './engine/state/lookup.ts';
export { PartedMap } from './engine/state/parted-map.ts';
export { assertFanOutFits, defaultRunLimits, type RunLimits } from './engine/state/run-limits.ts';
export { Draft, State, type StateView, type Write } from './engine/state/state.ts';
export { usesWorkspace } from './engine/state/workspace-lock.ts';
export {
  observeLeaves,
  stepTree,
  stopReasonText,
  TerminationReachedError,
  taskDelta,
} from './engine/termination/step-tree.ts';
export * from './model.ts';
export { compile } from './plan/compile.ts';
export type { FanOut, GraphPlan, Plan, PlanEdge, PlanNode, PlanStore } from './plan/plan.ts';
export { skeletonDifference } from './plan/skeleton.ts';
export { compileTermination, type PlanCondition, type PlanTermination } from './plan/termination.ts';
export { CallLog, type LoggedCall, type LoggedMessage, type LoggedRequest } from './replay/call-log.ts';
export { type ForkPoint, type ForkPreview, forkPreviewOf, givenEvents, settlementOf } from './replay/fork-preview.ts';
export type { Place } from './replay/place.ts';
export { type RecordedActivation, type RecordedStep, Recording, type StepPlace } from './replay/recording.ts';
export { contentOfReply, contentOfStep, failureIn, replyIn } from './replay/step-content.ts';
export { StepIndex, StepSet } from './replay/step-index.ts';
export {
  holdsCredentials,
  ownWebhook,
  publicAddress,
  type RowStatus,
  rowStatuses,
  type Scope,
  scopes,
  testEvent,
  type WebhookEvent,
  webhookEvents,
  workflowName,
} from './resources/resources.ts';
export { type ModelKnowledge, type Spending, withModelIssues } from './workflow/checks/check-models.ts';
export type { SourceFile } from './workflow/document/document.ts';
export { issueCodes } from './workflow/document/issue-codes.ts';
export { formatPath } from './workflow/document/path.ts';
export { replaceValues } from './workflow/document/replace-values.ts';
export { Timestamp } from './workflow/document/scalars.ts';
export { didYouMean, quotedList } from './workflow/document/suggest.ts';
export {
  configOf,
  type ModelSettings,
  modelSettingsOf,
  type NodeRef,
  withModelSettings,
  withNodeConfig,
} from './workflow/document/with-node-config.ts';
export type {
  Dynamic,
  Edge,
  Graph,
  LogLevel,
  MemoryStore,
  Node,
  Termination,
  TerminationCondition,
  Use,
  Workflow,
} from './workflow/document/workflow.ts';
export { plainEdge } from './workflow/document/workflow.ts';
export type { LocatedModel } from './workflow/elements/read-context.ts';
export { type ReadOptions, type ReadResult, readWorkflow } from './workflow/read/read-workflow.ts';
export { BossSchema } from './workflow/schema/boss-schemas.ts';
export { readBySchema } from './workflow/schema/read-by-schema.ts';
export { workflowJsonSchema } from './workflow/schema/workflow-json-schema.ts';
export { isOwnSetting, isSecretName, withoutReferences, withoutSecrets } from './workflow/variables/environment.ts';
