import { millrace } from '../../../api/millrace.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { Schema } from './schema-walk.ts';

/** Loads the JSON Schema of workflows; undefined where the server does not send it, as nothing depends on it but help. */
export const loadSchema = (): Promise<Schema | undefined> =>
  queryClient
    .fetchQuery({
      queryKey: ['workflows', 'schema'],
      queryFn: () => millrace.workflows.schema(),
      staleTime: Number.POSITIVE_INFINITY,
    })
    .catch(() => undefined);

/** Loads the YAML parser, which is needed from the first edit on. */
export const loadYamlPlace = () => import('./yaml-place.ts');
