import type { Command } from 'commander';
import { Option } from 'commander';
import { collect } from './collect-argument.ts';

/** Adds the options for the task of a run. */
export const addInputOption = (command: Command): Command =>
  command.option('--input <text>', 'the task: a text, @FILE, or - for standard input');

/** Adds the option for variables of the environment that texts of a workflow may contain. */
export const addEnvironmentOption = (command: Command): Command =>
  command.option(
    '--allow-env <name>',
    'let texts use this variable of the environment, though it looks like a secret or belongs to the machine; may be repeated',
    collect,
  );

/** Adds the common options of `run` and `dev`: variables, prepared answers and scripted models. */
export const addWorkflowOptions = (command: Command): Command =>
  addEnvironmentOption(command)
    .option('--var <name=value>', 'set a variable of the workflow; may be repeated', collect)
    .option(
      '--answers <file>',
      'replies for human nodes: a YAML list in the order of the questions, or a mapping by node',
    )
    .option('--script <file>', 'answer every agent from this script instead of its model')
    .option('--prices <file>', 'prices of models in YAML; they take precedence over those of the workflow')
    .addOption(new Option('--compat <engine>', 'behave like this engine where Millrace differs').choices(['chatdev']));
