import type { Client, OperationInput, OperationOutput, RequestOptions } from '../client.ts';

/** Models that the server knows. */
export interface ModelsResource {
  /** Lists all models with their limits, capabilities, prices and retirements. */
  list(options?: RequestOptions): Promise<OperationOutput<'models.list'>['data']>;
  /**
   * Updates the table of models of the installation and returns the difference; `dryRun` stores nothing. Needs an operator's
   * key. Throws ApiProblem, `MODEL_LIST_DROPS`, if models vanish, cost less than half, or can do much less.
   */
  update(
    update: OperationInput<'models.update'>,
    options?: RequestOptions,
  ): Promise<OperationOutput<'models.update'>['changes']>;
}

/** Returns the methods of models. */
export const createModelsResource = (client: Client): ModelsResource => ({
  list: async (options) => (await client.call('models.list', {}, options)).data,
  update: async (update, options) => (await client.call('models.update', update, options)).changes,
});
