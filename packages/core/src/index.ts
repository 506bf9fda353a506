export * from './definitions/define.ts';
export * from './definitions/define-termination.ts';
export * from './definitions/definition.ts';
export * from './definitions/host.ts';
export * from './definitions/tool.ts';
export { defaultReadLimits, type ReadLimits } from './definitions/workflow-limits.ts';
export * from './engine/commands/command.ts';
export { presetsOf } from './engine/commands/presets.ts';
export * from './engine/commands/refusal.ts';
export * from './engine/decide/decide.ts';
export * from './engine/decide/decision.ts';
export { wakeOf } from './engine/decide/wake.ts';
export * from './engine/evolve/evolve.ts';
export type { Fold } from './engine/evolve/fold.ts';
export type { BudgetRecord } from './engine/records/budget-record.ts';
export * from './engine/records/event.ts';
export * from './engine/records/keys.ts';
export * from './engine/records/origin.ts';
export * from './engine/records/records.ts';
export * from './engine/records/stop.ts';
export { type ModelUsage, noModelUsage } from './engine/records/usage.ts';
export type { DecisionContext, DecisionStamp } from './engine/state/decision-context.ts';
export {
  type EnclosingTermination,
  enclosingTerminations,
  terminationOf,
} from './engine/state/enclosing-terminations.ts';
export { filesOf, foldFiles, hasPrivateFiles } from './engine/state/files.ts';
export * from './engine/state/input.ts';
export * from './engine/state/live.ts';
export * from './engine/state/lookup.ts';
export {
  assertFanOutFits,
  defaultRunLimits,
  type RunLimits,
} from './engine/state/run-limits.ts';
export * from './engine/state/state.ts';
export { enclosingUnits } from './engine/state/units.ts';
export { usesWorkspace } from './engine/state/workspace-lock.ts';
export * from './engine/termination/observe.ts';
export * from './engine/termination/step-tree.ts';
export * from './model/attachment.ts';
export * from './model/budget.ts';
export * from './model/delta.ts';
export * from './model/errors.ts';
export * from './model/ids.ts';
export * from './model/items.ts';
export * from './model/memory.ts';
export * from './model/message.ts';
export * from './model/mime-type.ts';
export * from './model/outcome.ts';
export * from './model/price.ts';
export * from './model/rate.ts';
export * from './model/tenant.ts';
export * from './model/variables.ts';
export * from './model/workspace.ts';
export { compile } from './plan/compile.ts';
export * from './plan/plan.ts';
export * from './plan/termination.ts';
export * from './replay/fork-history.ts';
export * from './replay/recording.ts';
export * from './resources/access-scope.ts';
export * from './resources/row-status.ts';
export * from './resources/webhook.ts';
export * from './resources/workflow-name.ts';
export type { IssueCode } from './workflow/document/issue-codes.ts';
export { issueCodes } from './workflow/document/issue-codes.ts';
export { didYouMean } from './workflow/document/suggest.ts';
export * from './workflow/document/workflow.ts';
export type { ReadOptions, ReadResult } from './workflow/read/read-workflow.ts';
export { readWorkflow } from './workflow/read/read-workflow.ts';
export { BossSchema } from './workflow/schema/boss-schemas.ts';
export { workflowJsonSchema } from './workflow/schema/workflow-json-schema.ts';
