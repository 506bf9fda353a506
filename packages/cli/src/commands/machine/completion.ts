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
      const script = completionScript(shell, program);
      cli.terminal.data(json ? JSON.stringify({ shell, script }) : script);
    });
}

type Shell = 'bash' | 'zsh' | 'fish';

/** Name that can be completed, with its description. */
interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** Command with the names that can follow it, such as '' for `millrace` or `batch start`. */
interface CompletedCommand {
  readonly path: string;
  readonly candidates: readonly Candidate[];
}

/** Returns a script that completes the commands and options of a program in a shell. File names are completed by the shell. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  return scripts[shell](completedCommands(program, ''));
}

function completedCommands(command: Command, path: string): readonly CompletedCommand[] {
  const commands = command.commands.map((one) => ({ name: one.name(), description: one.description() }));
  const options = command.options.flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ name: long, description }],
  );
  const help = { name: '--help', description: 'display help for the command' };
  const below = command.commands.flatMap((one) =>
    completedCommands(one, path === '' ? one.name() : `${path} ${one.name()}`),
  );
  return [{ path, candidates: [...commands, ...options, help] }, ...below];
}

const namesIn = ({ candidates }: CompletedCommand): string => candidates.map(({ name }) => name).join(' ');

/** Quotes a text for a shell: all three take single quotes, and fish takes escapes within them. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Bash and zsh collect the command from the words before the one that is completed. */
const casesOf = (all: readonly CompletedCommand[]): string =>
  all.map((command) => `    ${quoted(command.path)}) echo ${quoted(namesIn(command))} ;;`).join('\n');

const candidatesFunction = (all: readonly CompletedCommand[]): string => `_millrace_words() {
  case "$1" in
${casesOf(all)}
  esac
}
_millrace_path() {
  local path='' word next
  for word in "$@"; do
    case "$word" in -*) continue ;; esac
    next="\${path:+$path }$word"
    [ -n "$(_millrace_words "$next")" ] && path="$next"
  done
  printf %s "$path"
}`;

const scripts: Readonly<Record<'bash' | 'zsh' | 'fish', (all: readonly CompletedCommand[]) => string>> = {
  bash: (all) => `# Completion of millrace for bash
${candidatesFunction(all)}
_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local path="$(_millrace_path "\${COMP_WORDS[@]:1:COMP_CWORD-1}")"
  COMPREPLY=($(compgen -W "$(_millrace_words "$path")" -- "$current"))
}
complete -o default -F _millrace millrace`,
  zsh: (all) => `#compdef millrace
# Completion of millrace for zsh
${candidatesFunction(all)}
_millrace() {
  local millrace_path="$(_millrace_path "\${(@)words[2,CURRENT-1]}")"
  compadd -- \${(z)"$(_millrace_words "$millrace_path")"}
  _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _millrace millrace`,
  fish: (all) =>
    [
      '# Completion of millrace for fish',
      ...all.flatMap(({ path, candidates }) => candidates.map((candidate) => fishLine(path, candidate, all))),
    ].join('\n'),
};

/** Fish completes a word where all commands of its path were typed, and none that leads further. */
function fishLine(path: string, { name, description }: Candidate, all: readonly CompletedCommand[]): string {
  const typed = path.split(' ').filter((part) => part !== '');
  const depth = typed.length;
  const further = all
    .filter(
      (command) =>
        command.path.split(' ').length === depth + 1 && command.path.startsWith(path === '' ? '' : `${path} `),
    )
    .map((command) => command.path.split(' ').at(-1))
    .filter((part) => part !== undefined && part !== '');
  const conditions = [
    ...typed.map((part) => `__fish_seen_subcommand_from ${part}`),
    ...(further.length === 0 ? [] : [`not __fish_seen_subcommand_from ${further.join(' ')}`]),
  ];
  const when = conditions.length === 0 ? '' : ` -n ${quoted(conditions.join('; and '))}`;
  const word = name.startsWith('--') ? `-l ${name.slice(2)}` : `-f -a ${name}`;
  const text = description.replaceAll('\\', '').replaceAll("'", '’').split('\n', 1)[0] ?? '';
  return `complete -c millrace${when} ${word} -d ${quoted(text)}`;
}
