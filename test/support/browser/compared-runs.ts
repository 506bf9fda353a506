import type { Locator } from 'playwright-core';
import type { Dashboard } from './dashboard.ts';

/** A writer whose draft a reviewer returns once. */
export const talk = `
graph:
  id: talk
  start: [Writer]
  end: [Final]
  nodes:
    - { id: Writer, type: agent, config: { provider: scripted, name: parrot, params: { default: A first draft of words. } } }
    - { id: Reviewer, type: agent, config: { provider: scripted, name: parrot, params: { default: Read it again. } } }
    - { id: Mend, type: literal, config: { content: Mended } }
    - { id: Final, type: passthrough, config: {} }
  edges:
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Mend, condition: { type: keyword, config: { any: [again] } } }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { none: [again] } } }
    - { from: Mend, to: Final }
`;

/** Starts a run in the dashboard's installation and waits for its end. Returns its id. */
export async function finishedRun(dashboard: Dashboard, yaml: string, input?: string): Promise<string> {
  const run = await dashboard.start(yaml, input === undefined ? {} : { input });
  await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  return run;
}

/** Row of the first activation of a node in a comparison. */
export const comparedRow = ({ page }: Dashboard, node: string): Locator =>
  page.getByRole('table', { name: 'Activations' }).getByRole('row', { name: node });
