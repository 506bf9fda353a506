export type { AskedStep } from './context/worker-context.ts';
export { describeSandbox, diagnoseMachine } from './diagnose.ts';
export { openWorkspace } from './files/workspace.ts';
export { type McpServers, mcpServers } from './host/mcp.ts';
export type { SandboxLevel } from './programs/sandbox.ts';
export { openPythonFunctions } from './python/python-functions.ts';
export { type RunningWorker, startWorker, type WorkerOptions } from './start-worker.ts';
