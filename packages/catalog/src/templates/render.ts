import { Environment } from 'minijinja-js';

/** Steps that one rendering may take, so that a loop in a template cannot hold up a worker. */
const maxSteps = 100_000;

const environment = new Environment();
environment.undefinedBehavior = 'strict';
environment.fuel = maxSteps;
environment.enablePyCompat();

/** Renders a Jinja template. Throws an Error whose message is one line; an unknown variable is an error. */
export function render(template: string, variables: Readonly<Record<string, unknown>>): string {
  return inOneLine(() => environment.renderStr(template, variables));
}

/** Throws, likewise, when the text is not a template. */
export function assertTemplate(template: string): void {
  const name = 'checked';
  inOneLine(() => environment.addTemplate(name, template));
  environment.removeTemplate(name);
}

/** The engine's messages go on with the lines around the place. */
function inOneLine<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(message.split('\n')[0], { cause: error });
  }
}
