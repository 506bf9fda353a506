import { queryClient } from './query-client.ts';
import { createStore, useStore } from './store.ts';

/** Kinds of resources that their own screens delete. The keys of their queries are the kind, a view and the id. */
export type DeletableKind = 'batches' | 'schedules' | 'webhooks';

/** The resource that is being deleted, as KIND/ID. A screen shows one resource, so there is never another one. */
const deleted = createStore<string | undefined>(undefined);

/** Returns the option of the queries of a resource by which they load nothing while the resource is being deleted. */
export const useSubjectOptions = (kind: DeletableKind, id: string) => ({
  enabled: useStore(deleted) !== `${kind}/${id}`,
});

/** Aborts the requests for a resource, and loads nothing more of it until {@link resumeLoading} is called. */
export async function pauseLoading(kind: DeletableKind, id: string): Promise<void> {
  deleted.set(`${kind}/${id}`);
  await queryClient.cancelQueries({ predicate: ({ queryKey: [of, , subject] }) => of === kind && subject === id });
}

/** Loads resources again: the deletion has failed, or its screen has been left. */
export const resumeLoading = (): void => deleted.set(undefined);
