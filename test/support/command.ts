import type { Cli, Terminal } from '@millrace/cli';
import { createProgram, parseConfig, reportFailure } from '@millrace/cli';
import type { Ended } from './millrace.ts';

/**
 * Runs a command in this process, with an environment of its own, as a terminal without colours would see it. Where
 * many commands are looked at, this is what a process for each of them comes to, at a tenth of its cost.
 */
export async function command(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    data: (text) => void out.push(`${text}\n`),
    bytes: (content) => void out.push(new TextDecoder().decode(content)),
    say: (text) => void err.push(`${text}\n`),
    interactive: false,
    paint: { bold: String, dim: String, green: String, red: String, yellow: String, cyan: String },
  };
  const cli: Cli = { terminal, config: async () => parseConfig(env), exit: 0 };
  try {
    await createProgram(cli).parseAsync([...args], { from: 'user' });
  } catch (error) {
    cli.exit = await reportFailure(terminal, error, args.includes('--json'));
  }
  return { code: cli.exit, stdout: out.join(''), stderr: err.join('') };
}
