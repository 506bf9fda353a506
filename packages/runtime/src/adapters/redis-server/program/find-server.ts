import { runProgram } from './program.ts';

/** Returns the path of a sufficiently new server program on the PATH. */
export async function findServer(report: (line: string) => void): Promise<string | undefined> {
  for (const program of ['redis-server', 'valkey-server']) {
    const result = await runProgram(program, ['--version'], 10_000);
    if (result.type !== 'done') continue;
    const version = /\bv=(\d+)\.(\d+)[\d.]*/.exec(result.output);
    if (version !== null && Number(version[1]) * 100 + Number(version[2]) >= 602) return program;
    report(`${program} is older than 6.2 and is not used (${result.output})`);
  }
  return undefined;
}
