// Prints the packages that npm installs only when they are asked for, such as SDKs of model providers, in the versions that are
// tested: `npm install $(node scripts/release/optional.mjs)`. The container image has all of them.
import { packages } from './packages.mjs';

const specs = packages().flatMap(({ manifest }) =>
  Object.entries(manifest.peerDependenciesMeta ?? {})
    .filter(([name, { optional }]) => optional === true && !name.startsWith('@millrace/'))
    .map(([name]) => `${name}@${manifest.devDependencies?.[name] ?? manifest.peerDependencies[name]}`),
);
// The pages of the queues import BullMQ for themselves: the copy in the bundled command is not visible to them.
const { bullmq } = packages().find(({ manifest }) => manifest.name === '@millrace/runtime').manifest.dependencies;
console.log([...new Set(specs), `bullmq@${bullmq}`].join(' '));
