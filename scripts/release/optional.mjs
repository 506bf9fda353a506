// Prints the names of the packages that npm installs only when they are asked for, such as SDKs of model providers. The container image
// has all of them, in the versions of the lockfile: see lock.mjs.
import { packages } from './packages.mjs';

const names = packages().flatMap(({ manifest }) =>
  Object.entries(manifest.peerDependenciesMeta ?? {})
    .filter(([name, { optional }]) => optional === true && !name.startsWith('@millrace/'))
    .map(([name]) => name),
);
// The pages of the queues import BullMQ for themselves: the copy in the bundled command is not visible to them.
console.log([...new Set([...names, 'bullmq'])].join(' '));
