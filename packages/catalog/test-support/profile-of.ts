import type { AskedModel, ModelProfile } from '@millrace/core';
import { createModelLookup } from '@millrace/core';
import { shippedModels } from '../src/models/shipped-models.ts';

const lookup = createModelLookup([{ origin: 'list', table: shippedModels() }]);

/** Returns what the shipped table knows of a model. */
export const profileOf = (asked: AskedModel): ModelProfile => lookup.profile(asked);
