import { commandPage } from './command-page.ts';
import { environmentPage } from './environment-page.ts';
import { eventPage } from './event-page.ts';
import { httpPage } from './http-page.ts';
import { metricPage } from './metric-page.ts';
import { workflowPage } from './workflow-page.ts';

/** Returns the texts of the pages that are generated from the code, by their paths. */
export const referencePages = async (): Promise<Readonly<Record<string, string>>> => ({
  'docs/reference/commands.md': await commandPage(),
  'docs/reference/environment.md': environmentPage(),
  'docs/reference/events.md': eventPage(),
  'docs/reference/http-operations.md': httpPage(),
  'docs/reference/metrics.md': metricPage(),
  'docs/reference/workflow-files.md': workflowPage(),
});
