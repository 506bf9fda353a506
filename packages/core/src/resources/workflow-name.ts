/** Pattern of names under which workflows are published. */
export const workflowName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
