/** A workflow for examples: it needs no model and no key. */
export const helloWorkflow = `graph:
  id: hello
  nodes:
    - { id: Draft, type: passthrough, config: {} }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
  edges:
    - { from: Draft, to: Reviewer }
`;
