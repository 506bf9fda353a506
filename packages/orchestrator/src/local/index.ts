export { createLocalClient, type LocalClientOptions } from './local-client.ts';
export { localContexts } from './local-context.ts';
