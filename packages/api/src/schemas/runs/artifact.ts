import type { ActivationId as WrittenBy } from '@millrace/core';
import type { Artifact as KnownArtifact } from '@millrace/runtime';
import { z } from 'zod';
import { ActivationId } from './activation.ts';
import { RunId } from './run.ts';

/** One file of a run in a path. */
export const ArtifactPath = z.object({
  id: RunId,
  file: z.string().regex(/^[0-9a-f]{24}$/, 'must be the id of a file of the run'),
});

/** Query for the content of a file of a run. */
export const ArtifactContentQuery = z.object({
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the digest of a version')
    .optional()
    .describe('The version of the file with this digest; absent: the present one.'),
});

/** Query for the files of a run. */
export const ArtifactQuery = z.object({
  activation: ActivationId.transform((id) => id as WrittenBy) // the pattern has checked its form
    .optional()
    .describe('Only files of this activation.'),
});

/** A file that a node has written. */
export const Artifact = z
  .object({
    id: z.string().describe('Id of the file within its run, whatever its content.'),
    path: z.string().describe('From the root of the workspace, with slashes.'),
    workspace: z.string().describe('The execution of a graph that it belongs to: `s0` for the run itself.'),
    node: z.string(),
    activation: ActivationId,
    at: z.number().describe('Time at which it was written; milliseconds since 1970.'),
    size: z.number().int().describe('In bytes.'),
    mimeType: z.string(),
    digest: z.string().describe('The SHA-256 of its content, in hex.'),
  })
  .meta({ id: 'Artifact' });
/** Artifact as responses have it. */
export type Artifact = z.output<typeof Artifact>;

/** The files of a run. */
export const ArtifactList = z.object({ data: z.array(Artifact) });

/** A file of a run as the API shows it. */
export const artifactOf = (artifact: KnownArtifact): z.infer<typeof Artifact> => ({ ...artifact });
