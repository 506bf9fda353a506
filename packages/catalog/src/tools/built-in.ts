import type { ToolDefinition } from '@millrace/core';
import { callUser } from './call-user.ts';
import { clockTools } from './clock.ts';
import { reportTools } from './deep-research/report-tools.ts';
import { searchResultTools } from './deep-research/search-results.ts';
import { executeCode } from './execute-code.ts';
import { changeTools } from './file/change-files.ts';
import { listTools } from './file/list-files.ts';
import { readTools } from './file/read-files.ts';
import { searchInFiles } from './file/search-files.ts';
import { writeTools } from './file/write-files.ts';
import { unavailableTools } from './unavailable.ts';
import { weatherTools } from './weather.ts';
import { readWebpage } from './web/read-webpage.ts';

/** The functions that models can call in every installation. */
export const builtInTools: readonly ToolDefinition[] = [
  callUser,
  executeCode,
  readWebpage,
  ...clockTools,
  ...unavailableTools,
  ...weatherTools,
  ...reportTools,
  ...searchResultTools,
  ...changeTools,
  ...listTools,
  ...readTools,
  searchInFiles,
  ...writeTools,
];
