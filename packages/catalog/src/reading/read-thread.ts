import { workerData } from 'node:worker_threads';
import { standInsFor } from '../functions/extension-names.ts';
import { createVocabulary } from '../index.ts';
import { isEngineSpent } from '../templates/render.ts';
import { serveThread } from '../threads/serve-thread.ts';
import { readNow } from './read-now.ts';
import type { ReadReply, ReadTask, ReadThreadData } from './read-task.ts';

const { extensions, ...limits } = workerData as ReadThreadData; // given by the reader
const vocabulary = { ...createVocabulary(standInsFor(extensions)), ...limits };

serveThread<ReadTask, ReadReply>((task) => readNow(task, vocabulary), isEngineSpent);
