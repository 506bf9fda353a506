import { createRequire } from 'node:module';
import type { Environment } from 'minijinja-js';

/** Maximum number of steps of one rendering, so that a loop in a template cannot block a worker. */
const maxSteps = 100_000;

const require = createRequire(import.meta.url);
let cachedEnvironment: Environment | undefined;

/** Returns the template engine. It is WebAssembly, which takes 90 ms to compile, so only processes that use templates load it. */
function templateEnvironment(): Environment {
  if (cachedEnvironment !== undefined) return cachedEnvironment;
  const engine: typeof import('minijinja-js') = require('minijinja-js');
  const environment = new engine.Environment();
  environment.undefinedBehavior = 'strict';
  environment.fuel = maxSteps;
  environment.enablePyCompat();
  cachedEnvironment = environment;
  return environment;
}

/** Renders a Jinja template. Throws an Error whose message is one line; an unknown variable is an error. */
export function render(template: string, variables: Readonly<Record<string, unknown>>): string {
  return inOneLine(() => templateEnvironment().renderStr(template, variables));
}

/** Throws the same kind of error if the text is not a template. */
export function assertTemplate(template: string): void {
  const environment = templateEnvironment();
  const name = 'checked';
  inOneLine(() => environment.addTemplate(name, template));
  environment.removeTemplate(name);
}

/** Shortens messages of the template engine, whose first line is followed by an excerpt. */
function inOneLine<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(message.split('\n')[0], { cause: error });
  }
}
