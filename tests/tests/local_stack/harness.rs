//! The harness fails tests that leave a stack running or a planned fault unused.

use emulators::Service::DynamoDb;
use tests::{Stack, stack_test};

#[tokio::test]
#[should_panic(expected = "the test did not stop its stack")]
async fn test_that_leaves_its_stack_running_fails() {
    let _stack = Stack::start().await;
}

#[stack_test]
#[should_panic(expected = "planned faults did not fire")]
async fn test_whose_planned_fault_never_occurs_fails(stack: &Stack) {
    stack.local.faults().lose_response(DynamoDb, "PutItem", 1);
}
