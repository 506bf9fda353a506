export { countServers } from '../background/batches/start-batches.ts';
export { createLocalClient, type LocalClientOptions } from './local-client.ts';
