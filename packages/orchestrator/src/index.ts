export { type Orchestrator, type OrchestratorOptions, startOrchestrator } from './start-orchestrator.ts';
