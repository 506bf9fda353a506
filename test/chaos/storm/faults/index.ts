// All faults of a storm: the name of an export is the kind of the fault.
export { poisonRun, templateTrap } from './hostile-runs.ts';
export { laterVersion } from './later-version.ts';
export { clockSkewed } from './other-processes.ts';
export { connectionsCut, diskFull, jobsDeleted, redisAway, redisFrozen, redisKilled, redisReadOnly } from './redis.ts';
export { slotHalfMoved } from './slot-half-moved.ts';
export { workerFrozen, workerKilled, workerTerminated } from './workers.ts';
