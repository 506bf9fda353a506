/** Returns the JSON Schema of workflow files, as text for a file or for stdout. */
export async function schemaText(): Promise<string> {
  const [{ createVocabulary }, { workflowJsonSchema }] = await Promise.all([
    import('@millrace/catalog'),
    import('@millrace/core'),
  ]);
  return JSON.stringify(workflowJsonSchema(createVocabulary()), null, 2);
}
