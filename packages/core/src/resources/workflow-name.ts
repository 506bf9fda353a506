/** Names that a workflow may be published under. */
export const workflowName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
