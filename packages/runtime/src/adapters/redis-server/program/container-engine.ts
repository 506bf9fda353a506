import { runProgram } from './program.ts';

/** Image of the server that is started in a container. */
export const image = 'redis:7-alpine';

/** Returns whether the docker command reaches an engine. */
export async function hasContainerEngine(): Promise<boolean> {
  const result = await runProgram('docker', ['version', '--format', '{{.Server.Version}}'], 10_000);
  return result.type === 'done' && result.output !== '';
}
