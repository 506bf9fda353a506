export type { SandboxLevel } from './host/sandbox.ts';
export { type RunningWorker, startWorker, type WorkerOptions } from './start-worker.ts';
