import type { Command } from 'commander';
import { Argument } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace completion`: prints a script that completes commands and options in a shell. */
export function addCompletion(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .option('--json', 'print {shell, script}')
    .addHelpText(
      'after',
      '\nExample:\n  millrace completion bash >> ~/.bashrc\n  millrace completion zsh >> ~/.zshrc\n  millrace completion fish > ~/.config/fish/completions/millrace.fish',
    )
    .action(async (shell: Shell, { json }: { json?: boolean }) => {
      const { completionScript } = await import('../../output/completion-script.ts');
      const script = completionScript(shell, program);
      cli.terminal.data(json ? JSON.stringify({ shell, script }) : script);
    });
}

type Shell = 'bash' | 'zsh' | 'fish';
