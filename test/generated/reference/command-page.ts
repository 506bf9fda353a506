import { createCli, createProgram } from 'millrace';

const introduction = `# Commands

The help of every command, as \`millrace COMMAND --help\` prints it. The [guide](../guide/command-line.md) explains input,
answers, exit codes and the environment.
`;

type Command = ReturnType<typeof createProgram>;

export async function commandPage(): Promise<string> {
  const unused = () => {
    throw new Error('The help of commands needs no terminal.');
  };
  const cli = createCli({
    data: unused,
    report: unused,
    content: unused,
    say: unused,
    interactive: false,
    ask: unused,
    choose: unused,
    note: unused,
  });
  const program = createProgram(cli, []);
  const { commands } = program;
  const sections = commands.flatMap((command, at) => {
    const group = command.helpGroup();
    const heading = group === commands[at - 1]?.helpGroup() ? [] : [`## ${group.replace(/:$/, '')}`, ''];
    return [...heading, ...commandLines(command, 3, 'millrace')];
  });
  return `${[introduction, ...sections].join('\n').trimEnd()}\n`;
}

function commandLines(command: Command, depth: number, parent: string): readonly string[] {
  const name = `${parent} ${command.name()}`;
  return [
    `${'#'.repeat(depth)} ${name}`,
    '',
    '```',
    helpOf(command).trimEnd(),
    '```',
    '',
    ...command.commands.flatMap((one) => commandLines(one, depth + 1, name)),
  ];
}

/** Returns the help of a command, with what it adds after the options, at a width of its own. */
function helpOf(command: Command): string {
  const written: string[] = [];
  command.configureHelp({ helpWidth: 110 }).configureOutput({ writeOut: (text) => written.push(text) });
  command.outputHelp();
  return written.join('');
}
