import { standInsFor } from '../functions/extension-names.ts';
import { createVocabulary } from '../index.ts';
import { serveTasks } from '../processes/serve-tasks.ts';
import { isEngineSpent } from '../templates/render.ts';
import { readNow } from './read-now.ts';
import type { ReadChildData, ReadReply, ReadTask } from './read-task.ts';

const { extensions, ...limits } = JSON.parse(process.argv[2] ?? '{}') as ReadChildData; // given by the reader
const vocabulary = { ...createVocabulary(standInsFor(extensions)), ...limits };

serveTasks<ReadTask, ReadReply>((task) => readNow(task, vocabulary), isEngineSpent);
