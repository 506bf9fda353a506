import { installPackage } from './install-package.ts';
import { runProgram } from './program.ts';

/**
 * Installs redis-server, where that is possible. Its service is neither started nor enabled. Returns whether it was
 * installed.
 */
export async function installServer(report: (line: string) => void): Promise<boolean> {
  if (!(await installPackage('redis-server', report))) return false;
  await runProgram('systemctl', ['disable', 'redis-server'], 30_000);
  return true;
}
