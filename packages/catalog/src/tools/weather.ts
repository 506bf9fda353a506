import type { ToolDefinition } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';

/** Weather of an example city, which never changes. */
export const weatherTools: readonly ToolDefinition[] = [
  defineTool({
    name: 'get_city_num',
    module: 'weather',
    effect: 'read',
    description: 'Get the number of a city, for `get_weather`. An example: every city has the same.',
    parameters: z.object({ city: z.string().describe('Name of the city.') }),
    execute: () => ({ city_num: 3701 }),
  }),
  defineTool<{ city_num: number; unit: string }>({
    name: 'get_weather',
    module: 'weather',
    effect: 'read',
    description: 'Get the temperature in a city, by its number. An example: it is the same everywhere.',
    parameters: z.object({
      city_num: z.int().describe('Number of the city, from `get_city_num`.'),
      unit: z.string().default('celsius').describe('celsius or fahrenheit.'),
    }),
    execute: ({ city_num, unit }) => ({ city_num, temperature: unit === 'fahrenheit' ? 59 : 15, unit }),
  }),
];
