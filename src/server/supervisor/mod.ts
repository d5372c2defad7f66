/** The supervisor and the worker processes below it. */
export { isProcessKind, type ProcessKind, type WorkerModules } from './kinds.ts';
export { runServer } from './supervisor.ts';
export { runWorker } from './worker_main.ts';
