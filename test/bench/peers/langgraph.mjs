// Graphs with LangGraph and its PostgreSQL checkpointer, durable before each next step. Prints the times of the same work
// that `npm run bench` gives to Millrace.
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';

const { DATABASE_URL, SIZES } = process.env;
const { chain, chains, length, units, concurrency } = JSON.parse(SIZES);

const State = Annotation.Root({ text: Annotation({ reducer: (_old, text) => text, default: () => '' }) });
const pass = () => ({ text: 'go' });
const checkpointer = PostgresSaver.fromConnString(DATABASE_URL);
await checkpointer.setup();

/** Returns a graph of `count` nodes one after the other. */
function chainOf(count) {
  const graph = new StateGraph(State);
  for (let at = 0; at < count; at++) graph.addNode(`n${at}`, pass);
  graph.addEdge(START, 'n0');
  for (let at = 1; at < count; at++) graph.addEdge(`n${at - 1}`, `n${at}`);
  return graph.addEdge(`n${count - 1}`, END).compile({ checkpointer });
}

const mapOf = (count) =>
  new StateGraph(State)
    .addNode('list', pass)
    .addNode('unit', pass)
    .addNode('join', pass)
    .addEdge(START, 'list')
    .addConditionalEdges('list', () =>
      Array.from({ length: count }, (_, at) => new Send('unit', { text: `unit ${at}` })),
    )
    .addEdge('unit', 'join')
    .addEdge('join', END)
    .compile({ checkpointer });

let threads = 0;
const run = (graph) =>
  graph.invoke(
    { text: 'go' },
    {
      configurable: { thread_id: `t${threads++}` },
      recursionLimit: 10_000,
      durability: 'sync',
      maxConcurrency: concurrency,
    },
  );

async function timed(action) {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

/** Runs a graph `count` times, `concurrency` of them at a time. */
async function limited(count, graph) {
  let started = 0;
  const lane = async () => {
    while (started++ < count) await run(graph);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

const short = chainOf(length);
await run(short);
const long = chainOf(chain);
const wide = mapOf(units);
const times = {
  chain: (await timed(() => run(long))) / chain,
  throughput: (chains * length * 1000) / (await timed(() => limited(chains, short))),
  map: (await timed(() => run(wide))) / units,
};
process.stdout.write(`${JSON.stringify(times)}\n`);
await checkpointer.end();
