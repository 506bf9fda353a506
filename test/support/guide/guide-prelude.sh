# What the pages of the guide take for granted, for the test that executes their commands.

# A failed login or command fails the block.
redis-cli() { command redis-cli -e "$@"; }

cat > ask.yaml <<'YAML'
graph:
  id: ask
  nodes:
    - { id: Draft, type: passthrough, config: {} }
    - { id: Editor, type: human, config: { description: Is it good? } }
  edges:
    - { from: Draft, to: Editor }
YAML
cat > enough.yaml <<'YAML'
graph:
  id: enough
  termination: { type: external, config: { name: enough } }
  nodes:
    - { id: Draft, type: passthrough, config: {} }
    - { id: Editor, type: human, config: { description: Is it good? } }
  edges:
    - { from: Draft, to: Editor }
YAML
cat > paid.yaml <<'YAML'
graph:
  id: paid
  nodes:
    - { id: Paid, type: wait_for, config: { event: paid } }
YAML
cat > failing.yaml <<'YAML'
graph:
  id: failing
  nodes:
    - { id: Paid, type: wait_for, config: { event: paid, timeout: 100ms } }
YAML
cat > files.yaml <<'YAML'
graph:
  id: files
  nodes:
    - { id: Source, type: literal, config: { content: "```python\nopen('report.md', 'w').write('Rain.')\n```" } }
    - { id: Program, type: python, config: {} }
  edges:
    - { from: Source, to: Program }
YAML
printf 'a,b\n1,2\n' > data.csv

# Waits until the resource at a path has a status.
until_status() { until curl "http://127.0.0.1:4700/v1/$2" | jq -e ".status == \"$1\"" > /dev/null; do sleep 0.1; done; }
until_waiting() { until_status waiting "runs/$RUN"; }

# Each of them sets RUN.
completed_run() { RUN=$(millrace run flow.yaml --input Rain. --detach); until_status completed "runs/$RUN"; }
waiting_run() { RUN=$(millrace run ask.yaml --input Rain. --detach); until_waiting; }
failed_run() { RUN=$(millrace run failing.yaml --input Rain. --detach); until_status failed "runs/$RUN"; }
# A run that has written a file, and in ID and DIGEST the id of the file and the hash of its content.
written_file() {
  RUN=$(millrace run files.yaml --input Rain. --detach)
  until_status completed "runs/$RUN"
  ID=$(curl "http://127.0.0.1:4700/v1/runs/$RUN/artifacts" | jq -r '.data[0].id')
  DIGEST=$(curl "http://127.0.0.1:4700/v1/runs/$RUN/artifacts/$ID/versions" | jq -r '.data[0].digest')
}
archive_run() { MILLRACE_ARCHIVE=./archive millrace rm "$RUN"; }

# Adds a job to the intake queue, as a program of somebody else does.
add_job() {
  (cd "$REPOSITORY" && node --input-type=module -e "
    import { Queue } from 'bullmq';
    import { Redis } from 'ioredis';
    const [, id, data] = process.argv;
    const connection = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null });
    const intake = new Queue('millrace-intake', { connection, prefix: '{millrace}' });
    await intake.add('run', JSON.parse(data), { jobId: id });
    await intake.close();
    await connection.quit();
  " "$1" "$2")
}
until_refused() { until millrace intake list | grep -q "$1"; do sleep 0.1; done; }
