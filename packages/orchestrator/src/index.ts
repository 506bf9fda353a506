export type { TokenTrust } from './http/access/tokens.ts';
export { serveMcp } from './mcp/serve-mcp.ts';
export { type Orchestrator, type OrchestratorOptions, startOrchestrator } from './start-orchestrator.ts';
