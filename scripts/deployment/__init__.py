"""What scripts/preflight and scripts/smoke share: the AWS CLI, a deployed stack, and the checks of it."""
