export { type Desks, openDesks } from './desks.ts';
export { localContexts } from './local-context.ts';
export { serveMcp } from './serve-mcp.ts';
export { type IntakeOptions, intakeRunId, startIntake } from './start-intake.ts';
export { type Orchestrator, type OrchestratorOptions, startOrchestrator } from './start-orchestrator.ts';
export type { TokenTrust } from './tokens.ts';
