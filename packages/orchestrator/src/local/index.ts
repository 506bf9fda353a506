export { countServers } from './count-servers.ts';
export { createLocalClient, type LocalClientOptions } from './local-client.ts';
